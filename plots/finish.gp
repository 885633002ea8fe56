# Behind every figure. PDF: rsvg-convert embeds the fonts and, with SOURCE_DATE_EPOCH, leaves the clock out, which
# gnuplot's own pdfcairo does not. tex: cairolatex has the clock in its PDF as well, epslatex only in comments of its
# EPS; without them the bytes are the same every time. NAME.tex includes NAME-lines.eps, a name that no other figure
# has. txt: without the form feed and the spaces at the ends of lines.
unset output
if (format eq "pdf") {
    system("SOURCE_DATE_EPOCH=0 rsvg-convert --format=pdf --output=" . name . ".pdf " . name . ".svg")
    if (GPVAL_SYSTEM_ERRNO) { exit error "rsvg-convert failed" }
}
if (tex) {
    lines = name . "-lines"
    system("sed '/CreationDate/d' " . lines . ".eps >" . name . ".new && mv " . name . ".new " . lines . ".eps && " . \
        "mv " . lines . ".tex " . name . ".tex")
    if (GPVAL_SYSTEM_ERRNO) { exit error "sed failed" }
}
if (txt) {
    system("tr -d '\\014' <" . name . ".txt | sed 's/ *$//' >" . name . ".new && mv " . name . ".new " . name . ".txt")
    if (GPVAL_SYSTEM_ERRNO) { exit error "tr or sed failed" }
}
