# Shift defects, one bar for each term and score; columns scheme term defect bound within_bound. The axis is logarithmic:
# what rounding alone may do, the vertical mark, lies a dozen decades below a defect that is one. Bars within the mark
# are light. `shift` is K.
logx = 1
#include style

most = 100
array Scheme[most]
array Term[most]
rows = schemes = 0
least = 1e300
largest = 0
before = ""
note(s, t, d, b) = (rows = rows + 1, s ne before ? (schemes = schemes + 1) : 0, before = s, \
    Scheme[rows] = s, Term[rows] = t, d > largest ? (largest = d) : 0, b > largest ? (largest = b) : 0, \
    b > 1e-300 && b < least ? (least = b) : 0, d > 1e-300 && d < least ? (least = d) : 0, d)
set table $read
plot data using (note(strcol("scheme"), strcol("term"), column("defect"), column("bound"))):(0) with table
unset table
if (largest <= 0) { largest = 1 }
if (least > largest) { least = 1e-16 * largest }
low = 10 ** (floor(log10(least)) - 1)
high = 10 ** ceil(log10(largest) + 0.15)

# Lines from the top: a scheme's name, its terms, half a line between schemes.
array Line[most]
line = 0
longest = 0
do for [k=1:rows] {
    if (k == 1 || Scheme[k] ne Scheme[k-1]) {
        line = line + (k == 1 ? 0 : 0.4)
        set label verbatim(Scheme[k]) noenhanced at screen 0.02, first line left
        line = line + 1
    }
    Line[k] = line
    set label verbatim(Term[k]) noenhanced at graph 0, first line right offset -1, 0 textcolor rgb "grey30"
    if (strlen(Term[k]) > longest) { longest = strlen(Term[k]) }
    line = line + 1
}
extra = 0.135 * line + 0.95 - height
set yrange [line - 0.3:-0.7]
set xrange [low:high]
unset ytics
set border 1
set lmargin at screen (0.06 * longest + 0.2) / width
decades = log10(high / low)
set xtics 10 ** (decades < 5 ? 1 : ceil(decades / 5.0))
unset mxtics
set xlabel sprintf("shift defect, K = %d", shift) noenhanced
set key bottom outside left horizontal samplen 1 maxcols 1 height 0.3
set style fill solid 1 border linecolor "black"
at_line(k) = Line[k + 1]
half(d) = d > 0 ? 0.32 : 0 # no bar for 0
inside(d) = d > low ? d : low

#include page
plot data using (inside(column("defect"))):(at_line($0)):(low):(inside(column("defect"))): \
        (at_line($0) - half(column("defect"))):(at_line($0) + half(column("defect"))): \
        (column("within_bound") > 0 ? 0xdcdcdc : 0xc16217) \
        with boxxyerror linewidth 1 fillcolor rgb variable notitle, \
    data using (inside(column("bound"))):(at_line($0) - 0.45):(0):(0.9) with vectors nohead linewidth 1.6 \
        linecolor "black" notitle, \
    keyentry with points pointtype "|" linecolor "black" title "rounding alone: at most", \
    keyentry with boxes fillcolor rgb "#dcdcdc" title "within rounding: the same", \
    keyentry with boxes fillcolor rgb "#c16217" title "changed"
#include finish
