# One quantity of several specs over a logarithmic distance. Far out the curves are noise that hides one another: dots
# are the values, lines their mean over a quarter of an octave. The caption must say so.
logx = 1
#include style
#include curves
window(r) = r > 0 ? 2 ** ((floor(4 * log(r) / log(2)) + 0.5) / 4.0) : NaN
#include page
plot for [k=1:(txt ? 0 : curves)] data using (at(k, column("distance"))):(column("value")) with points \
        linetype Style[k] + 20 notitle, \
    for [k=1:curves] data using (window(at(k, column("distance")))):(column("value")) smooth unique with lines \
        linetype Style[k] title verbatim(Title[k])
#include finish
