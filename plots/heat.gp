# Heat maps, m against n, one panel for each term and for the score; columns term m n value error_bound. In front of this
# file stand `panels` and their names panel1, panel2 ... Darkness is the modulus against the largest of its panel: steps
# of the same number are equally light on both sides of zero (CIE L* 93 down to 52). Negative cells carry a bar, so that
# the sign is seen in grey as well.
#include style

name_of(k) = value(sprintf("panel%d", k))
in(k, x) = strcol("term") eq name_of(k) ? x : NaN
array Scale[panels]
size = 0
note(m, v) = (m >= size ? (size = m + 1) : 0, abs(v) > scale ? (scale = abs(v)) : 0, v)
set table $read
do for [k=1:panels] {
    scale = 0
    plot data using (in(k, column("m"))): \
        (strcol("term") eq name_of(k) ? note(column("m"), column("value")) : 0) with table
    Scale[k] = scale > 0 ? scale : 1
}
unset table

# Inches: two panels a row; each with its name above, the numbers of its axes, and its scale below.
side = 0.5 * width - 0.43
above = 0.22
below = 0.62
rows = int((panels + 1) / 2)
tall_row = above + side + below
extra = rows * tall_row - height
left(k) = 0.5 * width * ((k - 1) % 2) + 0.36
top(k) = rows * tall_row - tall_row * int((k - 1) / 2) - above
x_of(inch) = inch / width
y_of(inch) = inch / (height + extra)

set palette maxcolors 21 defined (-10 "#3f7eca", -9 "#518ad1", -8 "#6396d8", -7 "#74a3de", -6 "#86afe4", \
    -5 "#97bbea", -4 "#a9c8ef", -3 "#bcd4f4", -2 "#cfe1f8", -1 "#e3edfb", 0 "#ffffff", 1 "#fae9df", 2 "#f7d9c8", \
    3 "#f2cab3", 4 "#edbb9e", 5 "#e6ac89", 6 "#e09d75", 7 "#d98f61", 8 "#d1804c", 9 "#c97135", 10 "#c16217")
set border 15 linewidth 1
set xrange [-0.5:size - 0.5]
set yrange [size - 0.5:-0.5]
step = size > 8 ? 8 : size > 1 ? size - 1 : 1
set xtics 0, step offset 0, 0.4
set ytics 0, step offset 0.6, 0
unset xlabel
unset ylabel
set key off
set style fill solid 1 noborder
set colorbox horizontal user
set format cb tex ? "$%.2g$" : "%.2g"
set cbtics scale 0.4 offset 0, 0.6

#include page
set multiplot
do for [k=1:panels] {
    set lmargin at screen x_of(left(k))
    set rmargin at screen x_of(left(k) + side)
    set tmargin at screen y_of(top(k))
    set bmargin at screen y_of(top(k) - side)
    set colorbox origin screen x_of(left(k)), y_of(top(k) - side - 0.42) size screen x_of(side), y_of(0.07)
    set cbrange [-Scale[k]:Scale[k]]
    set cbtics (-Scale[k], 0, Scale[k])
    set label 1 verbatim((k == panels && panels > 1 ? "= " : k > 1 ? "+ " : "") . name_of(k)) noenhanced \
        at graph 0, 1 left offset 0, 0.6
    set label 2 ours("{/:Italic n}", "$n$") at screen x_of(left(k) + 0.5 * side), y_of(top(k) - side - 0.29) center
    set label 3 ours("{/:Italic m}", "$m$") at screen x_of(left(k) - 0.27), y_of(top(k) - 0.5 * side) center
    plot data using (in(k, column("n"))):(column("m")):(column("n") - 0.5):(column("n") + 0.5): \
            (column("m") - 0.5):(column("m") + 0.5):(column("value")) with boxxyerror fillcolor palette, \
        data using (in(k, column("value")) < -0.05 * Scale[k] ? column("n") - 0.2 : -9):(column("m")):(0.4):(0) \
            with vectors nohead linewidth 1 linecolor "black"
}
unset multiplot
#include finish
