# The terminal and the output; stands before `plot`, when extra is known.
# svg: 96 units an inch, as browsers and rsvg-convert have it, so that 4/3 units are a point. png: 300 pixels an inch,
# where the terminal counts 96. tex: epslatex sets the text in the document's own font, its line 1 is 0.25 pt. txt: 24
# columns and 12 rows an inch.

tall = height + extra
if (format eq "svg" || format eq "pdf") {
    set terminal svg size int(96 * width + 0.5), int(96 * tall + 0.5) \
        font sprintf("%s,%.2f", font, points * 4 / 3) enhanced background "white" linewidth 1 dashlength 0.8
}
if (format eq "png") {
    set terminal pngcairo size int(300 * width + 0.5), int(300 * tall + 0.5) font sprintf("%s,%g", font, points) \
        fontscale 300.0 / 96 linewidth 300.0 / 96 pointscale 300.0 / 96 dashlength 1 enhanced
}
if (tex) { set terminal epslatex size width, tall color colortext linewidth 3 pointscale 2.5 dashlength 0.7 \
    header sprintf("\\fontsize{%g}{%g}\\selectfont", points, 1.2 * points) }
if (txt) { set terminal dumb size int(24 * width + 0.5), int(12 * tall + 0.5) enhanced mono }
set output name . (format eq "pdf" ? ".svg" : tex ? "-lines.tex" : "." . format)
