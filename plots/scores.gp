# The bound beside what it bounds: moduli of scores and Abel bounds, both axes logarithmic. Means, medians and lower
# quantiles of scores are left out, for they are about zero. The axis is cut four decades below the largest value.
logx = logy = 1
#include style
#include curves
is_bound(k) = Quantity[k][1:4] eq "abel"
array Drawn[most]
shown = 0
do for [k=1:curves] {
    if (!among(Quantity[k], "score-mean score-median score-q05")) { shown = shown + 1; Drawn[shown] = k }
}
if (!shown) { exit error "there is no bound and no score to draw" }
if (!exists("ylabel")) { set ylabel "score, bound" }
set yrange [largest * 1e-4:largest * 2]
keys = shown
eval key_below
#include page
plot for [j=1:shown] data using (at(Drawn[j], column("distance"))):(abs(column("value"))) with lines \
    linetype Style[Drawn[j]] linewidth (is_bound(Drawn[j]) ? 2 : 1) title verbatim(Title[Drawn[j]])
#include finish
