# A curve, its closed form and the level of random phases, over a logarithmic distance; a mark where r is the base:
# behind it no pair is left that has not turned.
logx = 1
#include style
#include curves
after(s, w) = (next = 0, sum [i=1:words(s)-1] (word(s, i) eq w ? (next = i + 1) : 0), next ? real(word(s, next)) : 0)
base = after(Spec[1], "base")
if (!several_specs && base > nearest && base < farthest) {
    set arrow from base, graph 0 to base, graph 0.45 nohead linetype 19
    set label ours("{/:Italic r} = {/:Italic b}", "$r=b$") at base, graph 0.49 center
}
#include page
plot for [k=1:curves] data using (at(k, column("distance"))):(column("value")) with lines linetype Style[k] \
    title verbatim(Title[k])
#include finish
