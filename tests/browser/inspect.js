/* Looks at the page from inside. tests/browser/run puts it into a copy, before the page's own script, and shows what it
   tells the owner of its frame: "seen: ..." for what was looked at, "fault: ..." for what is wrong. */
"use strict";
(() => {
  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
  const lines = [];
  const fault = text => lines.push("fault: " + text);
  const check = (holds, text) => holds || fault(text);
  const written = all(".cells").map(cells => cells.innerHTML); /* before the script has touched it */
  addEventListener("error", event => event.message && fault("script: " + event.message));

  /* ---- figures and text ---- */

  function figures() {
    for (const svg of all("svg:not(.once)")) {
      const box = svg.getBoundingClientRect(), name = svg.getAttribute("aria-label") || "legend";
      check(box.width > 50 && box.height > 5 && svg.checkVisibility(), `figure is not visible: ${name}`);
      if (!svg.classList.contains("map")) continue;
      const cells = svg.querySelector(".cells").getBoundingClientRect(), frame = svg.querySelector(".frame").getBoundingClientRect();
      check(Math.abs(cells.width - frame.width) <= 4 && Math.abs(cells.height - frame.height) <= 4, `cells do not fill: ${name}`);
      check(cells.width / data().size <= 24.5, `cells are too large: ${name}`);
      check(/, m and n from .*: values from .* to /.test(name), `figure without a text: ${name}`);
    }
    lines.push(`seen: ${all("svg.map").length} maps`);
  }

  const data = () => JSON.parse(document.getElementById("values").textContent);

  function structure() {
    const levels = all("h1, h2, h3").map(heading => Number(heading.tagName[1]));
    check(levels[0] === 1 && levels.filter(level => level === 1).length === 1, "not one h1 at the top");
    levels.forEach((level, k) => check(k === 0 || level <= levels[k - 1] + 1, `heading ${k} skips a level`));
    const ids = all("[id]").map(element => element.id);
    check(new Set(ids).size === ids.length, "an id is there twice");
    for (const link of all("a[href^='#']"))
      check(ids.includes(decodeURIComponent(link.hash.slice(1))), `link to nowhere: ${link.hash}`);
    for (const table of all("table:not(.properties):not(.decay)")) check(table.caption, "a table without a caption");
    for (const input of all("input")) check(input.labels.length === 1, "an input without a label");
    for (const element of all("h1, h2, h3, th, caption, .formula, .source"))
      check(element.classList.contains("mark") || element.textContent.trim(), `empty ${element.tagName}`);
    for (const cell of all("figcaption, .scheme p:not(.verdict), .properties td")) check(cell.textContent.trim(), "empty text");
    check(!/undefined|NaN|\bnull\b|\(null\)/.test(document.body.innerText), "a text that is no text");
  }

  function network() {
    check(performance.getEntriesByType("resource").length === 0, "something was loaded");
    for (const element of all("[src], link, script[src], image")) fault(`loads: ${element.outerHTML.slice(0, 80)}`);
    check(!/url\(|@import/.test(all("style").map(style => style.textContent).join("")), "the style loads something");
  }

  /* ---- contrast [WCAG 2.1, 1.4.3]: 4.5, for large text 3 ---- */

  const numbers = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  function luminance(colour) {
    const [r, g, b] = numbers(colour).map(value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function background(element) {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor, parts = numbers(colour);
      if (parts.length === 3 || parts[3] > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  }
  function contrast() {
    let texts = 0, least = 99;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const element = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || element.closest("script, style") || !element.checkVisibility()) continue;
      const style = getComputedStyle(element), size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const [a, b] = [luminance(element.closest("svg") ? style.fill : style.color), luminance(background(element))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      check(ratio >= (large ? 3 : 4.5), `contrast ${ratio.toFixed(2)}: ${walk.currentNode.data.trim().slice(0, 40)}`);
      check(size >= (element.closest("sub, sup") ? 9 : 11), `small text, ${size} px: ${walk.currentNode.data.trim().slice(0, 40)}`);
      texts++;
      least = Math.min(least, ratio);
    }
    lines.push(`seen: ${texts} texts, least contrast ${least.toFixed(2)}`);
  }

  /* ---- the control ---- */

  /* What each formula says, from the table of shift defects: [scheme, term, relative]. */
  function theory() {
    const said = new Map();
    for (const group of all("tbody.group")) {
      const scheme = group.querySelector("a").hash.slice(1);
      for (const row of all("tr", group)) {
        const [term, , relative, , found] = all("td", row).map(cell => cell.firstChild ? cell.firstChild.textContent : "");
        check(found === (relative === "yes" ? "same" : "changed"), `table: ${scheme} ${term} is ${found}`);
        said.set(`map-${scheme}-${term}`, relative === "yes");
      }
    }
    return said;
  }

  function shifts() {
    const range = document.getElementById("shift"), relative = theory(), { stop } = data();
    const go = k => { range.value = k; range.dispatchEvent(new Event("input")); };
    for (let k = stop.length - 1; k >= 0; k--) {
      go(k);
      for (const figure of all(".maps figure")) {
        const changed = figure.classList.contains("changed"), mark = figure.querySelector(".mark").textContent;
        check(relative.has(figure.id), `no row for ${figure.id}`);
        check(changed === (k > 0 && !relative.get(figure.id)), `shift ${stop[k]}: ${figure.id} changed: ${changed}`);
        check(mark === (k === 0 ? "" : changed ? "changed" : "same"), `shift ${stop[k]}: ${figure.id} is marked ${mark}`);
      }
      check(document.getElementById("said").textContent.startsWith(`Shift ${stop[k]}: `), `shift ${stop[k]} is not said`);
      check(document.querySelector(".axis .first").textContent === String(stop[k]), `shift ${stop[k]}: axis`);
    }
    all(".cells").forEach((cells, k) => check(cells.innerHTML === written[k], `map ${k} is not the same after a shift and back`));
    lines.push(`seen: ${stop.length} shifts`);
    go(stop.length - 1);
  }

  /* ---- keyboard and pointer ---- */

  function cells() {
    const { stop, size, map } = data(), last = stop.length - 1;
    for (const figure of all(".maps figure")) {
      const svg = figure.querySelector("svg.map"), readout = figure.querySelector(".readout");
      const values = map[figure.id].value, shown = values[values.length > 1 ? last : 0];
      const expect = (m, n) => `m = ${m + stop[last]}, n = ${n + stop[last]}: ${String(shown[m * size + n]).replace(/-/g, "−")}`;
      const told = (m, n, how) =>
        check(readout.textContent.split("; unshifted")[0] === expect(m, n), `${how}, ${figure.id}: ${readout.textContent}`);
      check(svg.tabIndex === 0 && all("[tabindex]", svg).length === 0, `${figure.id} is not one tab stop`);
      svg.focus();
      told(0, 0, "focus");
      for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"])
        svg.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
      told(Math.min(1, size - 1), Math.min(1, size - 1), "arrow keys");
      check(svg.querySelector(".cursor"), `${figure.id}: no cell is marked`);
      const frame = svg.querySelector(".frame").getBoundingClientRect(), side = frame.width / size;
      svg.dispatchEvent(new PointerEvent("pointermove", { clientX: frame.left + 2.5 * side, clientY: frame.top + 0.5 * side }));
      if (size > 2) told(0, 2, "pointer");
      svg.blur();
      check(readout.textContent === "", `${figure.id}: a value stays`);
    }
    const sticky = getComputedStyle(document.getElementById("control"));
    check(!document.getElementById("control").hidden && sticky.position === "sticky", "the control is not in sight");
  }

  addEventListener("load", () => {
    for (const part of [figures, structure, network, shifts, figures, contrast, cells]) {
      try {
        part();
      } catch (error) {
        fault(`${part.name}: ${error.message}`);
      }
    }
    const wide = document.documentElement.scrollWidth;
    check(wide <= innerWidth, `the page is ${wide} px wide in a window of ${innerWidth}`);
    lines.push(`seen: a window of ${innerWidth} px`);
    parent.postMessage("\n" + lines.join("\n") + "\n", "*");
  });
})();
