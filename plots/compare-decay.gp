# The score of each scheme over the distance. Columns as for the other curves; a spec is the name of a scheme. Behind the
# seventh curve dashes repeat, so those curves carry marks.
#include style
#include curves
do for [k=1:curves] { Title[k] = Spec[k] }
set ylabel verbatim("score, " . Quantity[1]) noenhanced
set xlabel ours("distance {/:Italic m} − {/:Italic n}", "distance $m-n$") enhanced
keys = curves
eval key_below
set key on
#include page
plot for [k=1:curves] data using (at(k, column("distance"))):(column("value")) with linespoints linetype Style[k] \
    pointtype (k > 7 ? 2 * (k - 6) : 0) pointsize 0.4 pointinterval 6 title verbatim(Title[k])
#include finish
