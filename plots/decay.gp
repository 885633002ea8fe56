# Curves over the distance: any specs and quantities, closed forms (-law) and levels (-floor) among them. Error bounds
# that can be seen are drawn as a band.
#include style
#include curves
#include page
plot for [j=1:(txt ? 0 : wide)] data using (at(Wide[j], column("distance"))): \
        (column("value") - column("error_bound")):(column("value") + column("error_bound")) \
        with filledcurves linetype Style[Wide[j]] fillstyle solid 0.25 noborder notitle, \
    for [k=1:curves] data using (at(k, column("distance"))):(column("value")) \
        with lines linetype Style[k] title verbatim(Title[k])
#include finish
