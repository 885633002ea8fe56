# RoFormer [arXiv 2104.09864], figure 2, with its true axis: B(r), d = 128, base 10000, 0 <= r <= 256. The printed
# figure shows only what lies in the dashed frame: its axes start at r = 8.1 and B = 6.39 and end at B = 19.75.
#include style
#include curves
set xrange [0:256]
set xtics 64
set object 1 rectangle from 8.1, 6.39 to 256, 19.75 front \
    fillstyle empty border linecolor "grey30" linewidth 1 dashtype (4, 3)
set label 1 "what the printed figure shows" at 252, 21.5 right
set key off
#include page
plot data using (column("distance")):(column("value")) with lines linetype 11
#include finish
