# What every figure shares. In front of this file stand the variables of one figure:
#
#     format "svg" "png" "pdf" "tex" "txt"; name (the output is NAME.FORMAT); data (the TSV file)
#     width, height in inches; and what the program sets: logx, xlabel, ylabel ...
#
# 8 pt in the size it is printed, lines of 0.75 pt (lw 1) and more, colours that the colour-blind tell apart, and a
# dash pattern for each, so that it reads in grey too. "Liberation Sans" has the widths of Helvetica and Arial.

reset
set encoding utf8
set decimalsign "."
set datafile separator "\t"
set datafile commentschars "#"
set datafile columnheaders
set datafile missing NaN

tex = format eq "tex"
txt = format eq "txt"
font = "Liberation Sans"
points = 8.0

extra = 0.0 # inches below the figure, for the key

# ---- text ---------------------------------------------------------------------------------------------
# Text of ours is written twice, for gnuplot's markup and for LaTeX. Text of users is shown as it is: `noenhanced`,
# and through verbatim() for LaTeX.

ours(markup, latex) = tex ? latex : markup
escape(c) = strstrt("#$%&_{}", c) ? "\\" . c : \
    c eq "\\" ? "\\textbackslash{}" : c eq "~" ? "\\textasciitilde{}" : c eq "^" ? "\\textasciicircum{}" : \
    c eq "<" ? "\\textless{}" : c eq ">" ? "\\textgreater{}" : c eq "|" ? "\\textbar{}" : c eq "\n" ? " " : c
apart(s) = strstrt(s, "]]>") ? s[:strstrt(s, "]]>")+1] . " " . apart(s[strstrt(s, "]]>")+2:]) : s # no XML may hold it
verbatim(s) = !tex ? apart(s) : (escaped = "", sum [c=1:strlen(s)] (escaped = escaped . escape(s[c:c]), 0), escaped)

# ---- axes ---------------------------------------------------------------------------------------------

set border 3 linewidth 1 linecolor "black"
set tics out nomirror scale 0.6
set rmargin 2
set tmargin 0.7
if (tex) { set lmargin 6 }
scalable = format eq "svg" || format eq "pdf" # its terminal takes letters for wider and higher than they are
set key top right Left reverse noenhanced samplen 3.2 spacing (scalable ? 0.9 : 1.1)
set xlabel offset 0, 0.3
set ylabel offset (tex ? 0.4 : 0.6), 0
if (!exists("logx")) { logx = 0 }
if (!exists("logy")) { logy = 0 }
power = txt ? "%.0e" : ours("10^{%T}", "$10^{%T}$")
if (tex) { set format "$%h$" }
if (!tex && !txt) { set minussign }
if (logx) { set logscale x; set format x power; set mxtics 10 }
if (logy) { set logscale y; set format y power; set mytics 10 }

# ---- lines --------------------------------------------------------------------------------------------
# podo [Wong, Nature Methods 8, 441, 2011] without its yellow, dark ones first; a dash pattern for each.

set colorsequence podo
dark = "1 6 7 4 3 8 2"
colour(k) = int(word(dark, (k - 1) % 7 + 1))
do for [k=1:7] {
    set linetype 10 + k linecolor colour(k) linewidth 1.6     # 11, 12 ...: curves
    set linetype 20 + k linecolor colour(k + 1) linewidth 1.2 # 21, 22 ...: curves under a black line
}
do for [k=0:1] {
    set linetype 11 + 10 * k dashtype solid
    set linetype 12 + 10 * k dashtype (9, 3)
    set linetype 13 + 10 * k dashtype (3, 2)
    set linetype 14 + 10 * k dashtype (9, 3, 2, 3)
    set linetype 15 + 10 * k dashtype (14, 4)
    set linetype 16 + 10 * k dashtype (1.5, 2)
    set linetype 17 + 10 * k dashtype (9, 2, 2, 2, 2, 2)
}
tints = "#b8b8b8 #8cc2e2 #eeb48c #8cd4bf #e8c4d8 #b4dcf4 #f4d48c"
do for [k=1:7] { set linetype 30 + k linecolor rgb word(tints, k) pointtype 7 pointsize 0.1 } # behind a line
set linetype 18 linecolor "black" linewidth 1.4 dashtype (4, 3)   # a closed form
set linetype 19 linecolor "grey30" linewidth 1.2 dashtype (1.5, 3) # a level to compare with
