/* Figures by gnuplot over a pipe: a figure is a data file plus a script, and running it twice gives the same bytes.
 *
 * A figure names its script template in plots/ (installed under share/rope/plots). In front of the template stand the
 * few variables that plot_set defines, and a line "#include NAME" in it stands for NAME.gp; it reads only these and the
 * data file. Text from users never enters a script unescaped, nor their names of files.
 *
 *     plot *figure;
 *     if (plot_new(&figure, "decay", &error) == ROPE_OK) {
 *         plot_data(figure, "decay.tsv");
 *         plot_set_text(figure, "ylabel", "B(r)");
 *         status = plot_draw(figure, "decay.pdf", &error);     .pdf .svg .png .tex .txt, by its ending
 *         plot_free(figure);
 *     }
 */
#ifndef ROPE_PLOT_H
#define ROPE_PLOT_H

#include "../src/status.h"

typedef struct plot plot;

/* template: the script's name without ".gp". Looked for in $ROPE_PLOTS, then beside the program (../plots,
 * ../../plots), then in the share of its prefix (../share/rope/plots). */
rope_status plot_new(plot **figure, const char *template, rope_error *error);
void plot_free(plot *figure);

void plot_data(plot *figure, const char *path);                        /* the data file (TSV as sheet.h writes it) */
void plot_set_text(plot *figure, const char *name, const char *value); /* a gnuplot string variable, escaped */
void plot_set_number(plot *figure, const char *name, double value);
void plot_size(plot *figure,
               double width_inches); /* default 3.3; height by the golden ratio, and what a key below needs */
void plot_keep(plot *figure, const char *directory); /* leaves data and a runnable script there */

/* Refuses what plot_draw would refuse before it draws: an unknown ending, a folder that cannot be written, gnuplot or,
 * for .pdf, rsvg-convert missing. To be asked before a long computation. */
rope_status plot_check(const char *path, rope_error *error);

/* Draws to path; a file that exists is replaced only when the drawing succeeded. Fails with gnuplot's own message when
 * gnuplot is missing, or fails, or the ending is unknown.
 *
 * decay.tex has a second file beside it, decay-lines.eps: \input{decay} with the package graphicx (pdflatex converts
 * the EPS by itself). What is kept of decay.pdf in DIRECTORY is decay.tsv and decay.gp; `gnuplot decay.gp` there draws
 * the same bytes. */
rope_status plot_draw(plot *figure, const char *path, rope_error *error);

#endif
