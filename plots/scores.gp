# The bound beside what it bounds: moduli of scores and Abel bounds, both axes logarithmic. Scores change their sign,
# so the axis is cut four decades below the largest value.
logx = logy = 1
#include style
#include curves
is_bound(k) = Quantity[k][1:4] eq "abel"
set yrange [largest * 1e-4:largest * 2]
eval below(longest > 18 ? 2 : 3)
plot for [k=1:curves] data using (at(k, column("distance"))):(abs(column("value"))) with lines \
    linetype Style[k] linewidth (is_bound(k) ? 2 : 1) title verbatim(Title[k])
#include finish
