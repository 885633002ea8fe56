/* Shifts all positions: swaps the values of the maps and says which terms changed. All numbers were computed and
   compared before; nothing is computed here. #shift=3 in the address starts at that shift. */
"use strict";
(() => {
  const LEVELS = 10; /* of page.css, on either side of zero */
  const { stop, size, map } = JSON.parse(document.getElementById("values").textContent);
  const control = document.getElementById("control");
  const range = document.getElementById("shift");
  const figures = [...document.querySelectorAll(".maps figure")];
  const schemes = [...document.querySelectorAll(".scheme")];
  let now = 0; /* index of the stop */

  const dataOf = figure => map[figure.id];
  const valuesAt = (data, k) => data.value[data.value.length > 1 ? k : 0];
  const name = figure => figure.dataset.name;
  const sign = value => value === null ? "–" : String(value).replace(/-/g, "−");
  const list = words => words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1);

  /* ---- drawing ---- */

  const level = (value, scale) => {
    if (!(scale > 0) || value === null) return 0;
    const step = Math.floor(Math.abs(value) / scale * LEVELS + 0.5);
    return value < 0 ? -step : step;
  };
  const className = step => (step < 0 ? "n" : step > 0 ? "p" : "z") + Math.abs(step);

  function paint(figure, values, scale) {
    const squares = {};
    let bars = "";
    values.forEach((value, k) => {
      const m = Math.floor(k / size), n = k % size, step = level(value, scale);
      squares[step] = (squares[step] || "") + `M${n} ${m}h1v1h-1z`;
      if (step < 0) bars += `M${n}.3 ${m}.5h.4`;
    });
    for (let step = -LEVELS; step <= LEVELS; step++)
      figure.querySelector(".cells ." + className(step)).setAttribute("d", squares[step] || "");
    figure.querySelector(".cells .bars").setAttribute("d", bars);
  }

  function label(figure, values) {
    const first = stop[now], last = first + size - 1, svg = figure.querySelector(".map");
    for (const text of svg.querySelectorAll(".first")) text.textContent = sign(first);
    for (const text of svg.querySelectorAll(".last")) text.textContent = sign(last);
    svg.setAttribute("aria-label", `${name(figure)}, m and n from ${sign(first)} to ${sign(last)}: values from ` +
      `${sign(Math.min(...values))} to ${sign(Math.max(...values))}`);
  }

  const hasChanged = figure => dataOf(figure).changed[now] > 0;

  function mark(figure) {
    const data = dataOf(figure), changed = hasChanged(figure), mark = figure.querySelector(".mark");
    figure.classList.toggle("changed", changed);
    figure.classList.toggle("same", !changed && stop[now] !== 0);
    mark.textContent = changed ? "changed" : stop[now] !== 0 ? "same" : "";
    mark.title = changed ? `${data.changed[now]} of ${size * size} cells, by up to ${data.change[now]}` : "";
  }

  /* ---- what is said ---- */

  const isScore = figure => figure.dataset.score !== undefined;

  function sentence(scheme) {
    const mine = [...scheme.querySelectorAll("figure")], terms = mine.filter(figure => !isScore(figure));
    const changed = list(terms.filter(hasChanged).map(name));
    const stayed = terms.filter(figure => !hasChanged(figure)).map(name);
    const start = `Shift ${sign(stop[now])}: `;
    if (!changed) return start + "no term changed, nor did the score.";
    const score = mine.some(figure => isScore(figure) && hasChanged(figure)) ? ", and the score with it" : "";
    const rest = stayed.length ? `; ${list(stayed)} did not.` : ".";
    return start + changed + " changed" + score + rest;
  }

  function summary() {
    if (stop[now] === 0) return "Shift 0: the first position is 0.";
    if (schemes.length === 1) return sentence(schemes[0]);
    const title = scheme => scheme.querySelector("h2").textContent;
    const moved = schemes.filter(scheme => [...scheme.querySelectorAll("figure")].some(hasChanged));
    const start = `Shift ${sign(stop[now])}: `;
    if (!moved.length) return start + "no score changed in any scheme.";
    const others = schemes.length - moved.length;
    const rest = others === 0 ? "" : ` The other ${others === 1 ? "scheme" : others + " schemes"} did not.`;
    return start + `the score changed in ${moved.map(title).join("; ")}.` + rest;
  }

  function show(k) {
    now = k;
    range.value = k;
    range.setAttribute("aria-valuetext", "shift " + stop[k]);
    document.getElementById("now").textContent = sign(stop[k]);
    for (const figure of figures) {
      const data = dataOf(figure), values = valuesAt(data, k);
      if (data.value.length > 1) paint(figure, values, data.scale);
      label(figure, values);
      mark(figure);
      tell(figure);
    }
    for (const scheme of schemes)
      scheme.querySelector(".verdict").textContent = stop[now] === 0 ? "" : sentence(scheme);
    document.getElementById("said").textContent = summary();
  }

  /* ---- one cell ---- */

  const cursor = new Map(); /* figure -> [m, n], counted from the first position shown */

  function tell(figure) {
    const at = cursor.get(figure), readout = figure.querySelector(".readout"), data = dataOf(figure);
    for (const old of figure.querySelectorAll(".cells rect")) old.remove();
    readout.textContent = "";
    if (!at) return;
    const [m, n] = at, cells = figure.querySelector(".cells");
    for (const kind of ["halo", "cursor"]) {
      const box = document.createElementNS(cells.namespaceURI, "rect");
      const place = { class: kind, x: n, y: m, width: 1, height: 1 };
      for (const [key, value] of Object.entries(place)) box.setAttribute(key, value);
      cells.append(box);
    }
    const before = hasChanged(figure) ? `; unshifted ${sign(valuesAt(data, 0)[m * size + n])}` : "";
    readout.textContent = `m = ${sign(m + stop[now])}, n = ${sign(n + stop[now])}: ` +
      sign(valuesAt(data, now)[m * size + n]) + before;
  }

  function go(figure, m, n) {
    const inside = x => Math.max(0, Math.min(size - 1, x));
    cursor.set(figure, [inside(m), inside(n)]);
    tell(figure);
  }

  function leave(figure) {
    cursor.delete(figure);
    tell(figure);
  }

  const steps = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -size], End: [0, size]
  };

  function listen(figure) {
    const svg = figure.querySelector(".map"), cells = figure.querySelector(".cells");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", "heat map, move with the arrow keys");
    svg.addEventListener("focus", () => cursor.has(figure) || go(figure, 0, 0));
    svg.addEventListener("blur", () => leave(figure));
    svg.addEventListener("keydown", event => {
      const step = steps[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const [m, n] = cursor.get(figure) || [0, 0];
      go(figure, m + step[0], n + step[1]);
    });
    svg.addEventListener("pointermove", event => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(cells.getScreenCTM().inverse());
      const m = Math.floor(at.y), n = Math.floor(at.x);
      if (m >= 0 && n >= 0 && m < size && n < size) go(figure, m, n);
    });
    svg.addEventListener("pointerleave", () => document.activeElement === svg || leave(figure));
  }

  /* ---- start ---- */

  function fromAddress() {
    const asked = /[#?&]shift=(-?\d+)/.exec(location.search + location.hash);
    const k = asked ? stop.indexOf(Number(asked[1])) : -1;
    return k < 0 ? 0 : k;
  }

  for (const hidden of document.querySelectorAll(".scripted")) hidden.hidden = false;
  if (stop.length < 2) control.hidden = true;
  control.addEventListener("submit", event => event.preventDefault());
  range.addEventListener("input", () => show(Number(range.value)));
  addEventListener("hashchange", () => /shift=/.test(location.hash) && show(fromAddress()));
  figures.forEach(listen);
  show(fromAddress());
})();
