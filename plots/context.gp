# The longest context of a base, C(r) >= 0 for all r < L [Men et al., arXiv 2405.14591, eq. 10], columns spec quantity
# base base_to context. Quantity "context": one base and its L; "island": an interval of bases that reach L. The line
# is the estimate for many pairs, L = 0.6165 b, 0.6165 the first zero of Ci.
logx = logy = 1
#include style
set xlabel verbatim(exists("xlabel") ? xlabel : "base b") noenhanced
set ylabel verbatim(exists("ylabel") ? ylabel : "context L") noenhanced
is(what, x) = strcol("quantity") eq what ? x : NaN
set key top left
if (scalable) { set key width -8 }
set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.02
# An island without an end, base_to 1e15, is cut just behind the farthest base that the figure is about.
contexts = islands = farthest = 0
far(b) = b < 1e15 && b > farthest ? (farthest = b) : 0
set table $read
plot data using (strcol("quantity") eq "island" ? (islands = islands + 1) : (contexts = contexts + 1)): \
    (far(column("base")) + far(column("base_to"))) with table
unset table
set xrange [*:1.5 * farthest]
set clip one
set yrange [*:*]
set autoscale fix
curves = "plot 0.616505485620716 * x with lines linetype 18 title \"estimate, 0.6165 b\""
if (contexts) { curves = curves . ", data using (column(\"base\")):(is(\"context\", column(\"context\"))) " . \
    "with points linetype 11 pointtype 7 pointsize 0.35 title \"longest context of b\"" }
if (islands) { curves = curves . ", data using (column(\"base\")):(is(\"island\", column(\"context\"))):" . \
    "(column(\"base_to\") - column(\"base\")):(0) with vectors nohead linetype 13 dashtype solid linewidth 3 " . \
    "title \"bases that reach L\", data using (column(\"base\")):(is(\"island\", column(\"context\"))) " . \
    "with points linetype 13 pointtype 5 pointsize 0.35 notitle" }
#include page
eval curves
#include finish
