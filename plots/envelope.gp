# How large a score can be at each distance: the envelope |q||k|, which is flat (take k = R_(m-n) q), with the scores
# below it. Abel bounds are left out: they lie far above it, which scores.gp shows.
#include style
#include curves
array Drawn[most]
shown = 0
top = least
do for [k=1:curves] {
    if (Quantity[k][1:4] ne "abel") {
        shown = shown + 1
        Drawn[shown] = k
        top = Top[k] > top ? Top[k] : top
        if (!is_level(k) && !txt) { Style[k] = 21 + (shown - 1) % 7 }
    }
}
if (!shown) { exit error "there is no score and no envelope to draw" }
if (!exists("ylabel")) { set ylabel "score" }
set yrange [(least < 0 ? 1.1 * least : 0):1.15 * top]
keys = shown
eval key_below
#include page
plot for [j=1:shown] data using (at(Drawn[j], column("distance"))):(column("value")) with lines \
    linetype Style[Drawn[j]] title verbatim(Title[Drawn[j]])
#include finish
