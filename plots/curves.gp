# The curves of a tidy table, columns spec quantity distance value error_bound: finds them, their range, how they are
# called and drawn, and sets the axes. Curve k is `data using (at(k, column("distance"))):(column("value"))`, with
# linetype Style[k] and title Title[k]. Cells that are no numbers are left out.

most = 24
array Spec[most]
array Quantity[most]
array Title[most]
array Style[most]
array Top[most]     # the largest value
array Loosest[most] # the largest error bound
array Wide[most]    # curves with error bounds that can be seen
curves = rows = found = 0
least = nearest = 1e300
largest = farthest = -1e300

find(s, q) = (found = 0, sum [k=1:curves] (Spec[k] eq s && Quantity[k] eq q ? (found = k) : 0), found)
enter(s, q) = curves == most ? (rows = -1e9) : \
    (curves = curves + 1, found = curves, Spec[curves] = s, Quantity[curves] = q, \
    Top[curves] = -1e300, Loosest[curves] = 0)
enlarge(y, e) = (y < least ? (least = y) : 0, y > largest ? (largest = y) : 0, \
    y > Top[found] ? (Top[found] = y) : 0, e > Loosest[found] ? (Loosest[found] = e) : 0)
along(r) = (r < nearest ? (nearest = r) : 0, r > farthest ? (farthest = r) : 0, r)
note(s, q, y, e) = (rows = rows + 1, find(s, q) ? 0 : enter(s, q), found ? enlarge(y, e) : 0, y)
at(k, r) = strcol("spec") eq Spec[k] && strcol("quantity") eq Quantity[k] ? r : NaN

# The words of a spec that tell it from the others: "base 500000" of "dim 128 base 500000".
among(w, s) = strstrt(" " . s . " ", " " . w . " ") > 0
shared(w) = (every = 1, sum [k=1:curves] (among(w, Spec[k]) ? 0 : (every = 0)), every)
names(w) = among(w, "dim rotary base magnitude")
tells(s, i) = !shared(word(s, i)) || (names(word(s, i)) && i < words(s) && !shared(word(s, i + 1)))
picked = ""
differs(s) = (picked = "", sum [i=1:words(s)] (tells(s, i) ? (picked = picked . " " . word(s, i), 0) : 0), \
    picked eq "" ? "default" : picked[2:])

ends(q, tail) = strlen(q) > strlen(tail) && q[strlen(q)-strlen(tail)+1:] eq tail
is_law(k) = ends(Quantity[k], "-law")
is_floor(k) = ends(Quantity[k], "-floor")
known = "bound=B(r);sum=C(r);abel=Abel bound;abel-inner=Abel, first step;abel-mean=Abel bound, mean;" . \
    "abel-inner-mean=Abel, first step, mean;score-mean=score, mean;score-rms=score, rms;" . \
    "score-q05=score, 5 %;score-median=score, median;score-q95=score, 95 %;envelope=largest score;"
behind(q, i) = known[i + strlen(q) + 2:i + strlen(q) + strstrt(known[i + strlen(q) + 1:], ";") - 1]
called(q) = (i = strstrt(";" . known, ";" . q . "="), i ? behind(q, i - 1) : q)

specs(k) = (sum [j=1:k-1] (Spec[j] eq Spec[k])) ? 0 : 1
is_envelope(k) = Quantity[k] eq "envelope"
is_level(k) = is_law(k) || is_floor(k) || is_envelope(k)
kinds(k) = is_law(k) || is_floor(k) || (sum [j=1:k-1] (Quantity[j] eq Quantity[k])) ? 0 : 1
first(k, tail) = !(sum [j=1:k-1] ends(Quantity[j], tail))

set table $read
plot data using (along(column("distance"))): \
    (note(strcol("spec"), strcol("quantity"), column("value"), column("error_bound"))) with table
unset table
if (rows < 0) { exit error sprintf("more than %d curves do not fit into one figure", most) }
if (least > largest) { exit error "there are no values to draw" }

several_specs = (sum [k=1:curves] specs(k)) > 1
several_kinds = (sum [k=1:curves] kinds(k)) > 1
levels = sum [k=1:curves] is_level(k)
drawn = 0
title(s, k) = !several_specs ? called(Quantity[k]) : s . (several_kinds ? ", " . called(Quantity[k]) : "")

# "yarn:factor=4, ..." of a scaling rule with many keys, when that still tells the curves apart.
short(s) = strlen(s) <= 28 || !strstrt(s, ",") ? s : s[:strstrt(s, ",")] . " ..."
alike = 0
do for [k=1:curves] { do for [j=1:k-1] {
    if (Spec[j] ne Spec[k] && short(differs(Spec[j])) eq short(differs(Spec[k]))) { alike = 1 } } }
told(k) = alike ? differs(Spec[k]) : short(differs(Spec[k]))
longest = 0
do for [k=1:curves] {
    if (is_law(k)) { Style[k] = 18; Title[k] = first(k, "-law") ? "closed form" : "" }
    if (is_floor(k)) { Style[k] = 19; Title[k] = first(k, "-floor") ? "random phases" : "" }
    if (is_envelope(k)) { Style[k] = 18; Title[k] = title(told(k), k) }
    if (!is_level(k)) { Style[k] = (levels ? 21 : 11) + drawn % 7; drawn = drawn + 1; Title[k] = title(told(k), k) }
    if (strlen(Title[k]) > longest) { longest = strlen(Title[k]) }
}

if (txt) { do for [k=1:curves] { Style[k] = k } } # a letter for each

# The key is inside the figure where no value lies under it, else below, as wide as the figure. In inches: a letter is
# about 0.06 wide, a line 0.13 high; axes and their numbers take 0.6 and 0.5.
keys = sum [k=1:curves] (Title[k] ne "")
key_left = 1 - (0.06 * longest + 0.4) / (width - 0.6)
key_bottom = 1 - (0.13 * keys + 0.1) / (height - 0.5)
across(r) = logx ? (r > 0 ? log(r / (nearest > 0 ? nearest : 1)) / log(farthest / (nearest > 0 ? nearest : 1)) : 0) : \
    (r - nearest) / (farthest - nearest)
floor_of_axis = least > 0 && !logy ? 0 : least
up(y) = logy ? log(y / least) / log(largest / least) : (y - floor_of_axis) / (largest - floor_of_axis)
covered = 0
cover(r, y) = across(r) > key_left && up(y) > key_bottom ? (covered = 1) : 0
if (keys > 1 && farthest > nearest && largest > floor_of_axis) {
    set table $read
    plot data using (cover(column("distance"), column("value"))):(0) with table
    unset table
}
if (scalable) { set key width -0.3 * longest }
if (curves == 1) { set key off }

# Below the figure, which grows by it.
columns = int(width / (0.062 * longest + 0.55))
columns = columns < 1 ? 1 : columns > 4 ? 4 : columns
key_below = "extra = 0.15 * ceil(real(keys) / columns); set xlabel offset 0, scalable ? 0.8 : 0.4; " . \
    "set key bottom outside center horizontal height 0.6 maxcols columns"
if (covered || key_left < 0.1 || key_bottom < 0.1) { eval key_below }

# Axes: from zero where nothing is negative, else with zero as a line.
if (least >= 0 && !logy) { set yrange [0:*] }
if (least < 0) { set xzeroaxis linetype -1 linewidth 1 linecolor "grey60" }
set xlabel verbatim(exists("xlabel") ? xlabel : "distance r") noenhanced
set ylabel verbatim(exists("ylabel") ? ylabel : several_kinds ? "value" : called(Quantity[1])) noenhanced
set autoscale xfix

wide = 0
Wide[1] = 1 # gnuplot looks at the first pass even of an empty loop
do for [k=1:curves] { if (Loosest[k] > 0.004 * (largest - least)) { wide = wide + 1; Wide[wide] = k } }
