/* Figures: same bytes every time, hostile text stays text, and every failure is told and leaves nothing behind. Skipped
 * where gnuplot is missing. */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../plots/plot.h"

/* ---- helpers --------------------------------------------------------------------------------------- */

static bool has_program(const char *name) {
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

#define needs(program)                                                                                                 \
    do {                                                                                                               \
        if (has_program(program)) break;                                                                               \
        print_message("%s is not there\n", program);                                                                   \
        skip();                                                                                                        \
    } while (0)

static char folder[64], home[4096];

static char *in_folder(const char *name) {
    static char path[64][256];
    static int next;
    char *text = path[next++ % 64];
    snprintf(text, 256, "%s/%s", folder, name);
    return text;
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/rope-test-XXXXXX");
    return mkdtemp(folder) && mkdir(in_folder("tmp"), 0700) == 0 && setenv("TMPDIR", in_folder("tmp"), 1) == 0 ? 0 : -1;
}

/* The test fails when a figure left something in TMPDIR. */
static int remove_folder(void **state) {
    (void)state;
    const bool clean = rmdir(in_folder("tmp")) == 0;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && clean && unsetenv("TMPDIR") == 0 ? 0 : -1;
}

static int entries(const char *path) {
    DIR *listing = opendir(path);
    int count = -2; /* . and .. */
    while (listing && readdir(listing)) count++;
    if (listing) closedir(listing);
    return count;
}

/* A table of `curves` specs that fall like 1/r; the first is called `first`. */
static char *write_data(const char *first, int curves) {
    char *path = in_folder("data.tsv");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("# a comment\nspec\tquantity\tdistance\tvalue\terror_bound\n", out);
    for (int c = 0; c < curves; c++)
        for (int r = 1; r <= 20; r++) {
            if (c)
                fprintf(out, "dim 128 base %d", 100 * c);
            else
                fputs(first, out);
            fprintf(out, "\tbound\t%d\t%.6f\t1e-7\n", r, 30.0 / r + c);
        }
    assert_int_equal(fclose(out), 0);
    return path;
}

static rope_status draw(const char *template, const char *data, const char *path, const char *keep, rope_error *error) {
    plot *figure;
    rope_status status = plot_new(&figure, template, error);
    if (status != ROPE_OK) return status;
    plot_data(figure, data);
    plot_set_number(figure, "logx", 1);
    plot_set_text(figure, "ylabel", "B(r)");
    if (keep) plot_keep(figure, keep);
    status = plot_draw(figure, path, error);
    plot_free(figure);
    return status;
}

static void draw_well(const char *template, const char *data, const char *path, const char *keep) {
    rope_error error = {.reason = ""};
    const rope_status status = draw(template, data, path, keep, &error);
    if (status != ROPE_OK) fail_msg("%s: %s", error.place, error.reason);
}

static char *content(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    *size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(*size < (1 << 20) - 1);
    return text;
}

static void check_same_bytes(const char *one, const char *other) {
    size_t n, m;
    char *a = content(one, &n), *b = content(other, &m);
    if (n != m || memcmp(a, b, n) != 0) fail_msg("%s and %s differ", one, other);
    free(a);
    free(b);
}

static void check_file_contains(const char *path, const char *part) {
    size_t size;
    char *text = content(path, &size);
    check_contains(text, part);
    free(text);
}

/* ---- drawing --------------------------------------------------------------------------------------- */

/* Each format twice, the second time in another second, from the kept script, by gnuplot as a user calls it. */
static void test_same_bytes(void **state) {
    (void)state;
    needs("gnuplot");
    static const struct {
        const char *file, *begins, *second;
    } format[] = {{"a.svg", "<?xml", NULL},
                  {"a.png", "\x89PNG\r\n\x1a\n", NULL},
                  {"a.tex", "% GNUPLOT", "a-lines.eps"},
                  {"a.txt", "\n", NULL},
                  {"a.pdf", "%PDF-1", NULL}};
    const int formats = has_program("rsvg-convert") ? 5 : 4;
    const char *data = write_data("dim 128 base 10000", 3);
    char keep[16], kept[32], command[512];
    for (int k = 0; k < formats; k++) {
        snprintf(keep, sizeof keep, "keep-%s", format[k].file + 2);
        draw_well("decay", data, in_folder(format[k].file), in_folder(keep));
        size_t size;
        char *text = content(in_folder(format[k].file), &size);
        assert_memory_equal(text, format[k].begins, strlen(format[k].begins));
        free(text);
        assert_int_equal(entries(in_folder(keep)), 2);
    }
    snprintf(command, sizeof command,
             "sleep 1.01; cd %s && for d in keep-*; do (cd $d && gnuplot a.gp) || exit 1; done", folder);
    assert_int_equal(system(command), 0);
    for (int k = 0; k < formats; k++) {
        snprintf(kept, sizeof kept, "keep-%s/a.tsv", format[k].file + 2);
        check_same_bytes(data, in_folder(kept));
        snprintf(kept, sizeof kept, "keep-%s/%s", format[k].file + 2, format[k].file);
        check_same_bytes(in_folder(format[k].file), in_folder(kept));
        if (!format[k].second) continue;
        snprintf(kept, sizeof kept, "keep-%s/%s", format[k].file + 2, format[k].second);
        check_same_bytes(in_folder(format[k].second), in_folder(kept));
    }
}

/* 3.3 by 3.3/1.618 inches, 8 pt, the font by its name. */
static void test_sizes(void **state) {
    (void)state;
    needs("gnuplot");
    const char *data = write_data("dim 128 base 10000", 3), *svg = in_folder("a.svg"), *tex = in_folder("a.tex");
    draw_well("decay", data, svg, NULL);
    check_file_contains(svg, "width=\"317\" height=\"196\""); /* 96 an inch */
    check_file_contains(svg, "Liberation Sans\" font-size=\"10.67\"");
    check_file_contains(svg, "base 10000");
    draw_well("decay", data, tex, NULL);
    check_file_contains(tex, "{a-lines}");
    check_file_contains(tex, "\\fontsize{8}");
    check_file_contains(in_folder("a-lines.eps"), "%!PS-Adobe");
    draw_well("decay", data, in_folder("a.png"), NULL);
    size_t size;
    char *text = content(in_folder("a.png"), &size);
    assert_memory_equal(text + 16, "\0\0\x03\xde\0\0\x02\x64", 8); /* 990 by 612 pixels: 300 an inch */
    free(text);
    draw_well("decay", data, in_folder("a.txt"), NULL);
    check_file_contains(in_folder("a.txt"), "distance r");
    check_file_contains(in_folder("a.txt"), "base 10000");
}

static void test_pdf_fonts(void **state) {
    (void)state;
    needs("gnuplot");
    needs("rsvg-convert");
    needs("pdffonts");
    char command[512];
    draw_well("law", write_data("dim 128 base 10", 1), in_folder("a.pdf"), NULL);
    snprintf(command, sizeof command,
             "pdffonts %s | tail -n +3 | awk '$(NF-4) != \"yes\" {bad = 1} END {exit bad || !NR}'", in_folder("a.pdf"));
    assert_int_equal(system(command), 0); /* the column "emb" */
    snprintf(command, sizeof command, "pdfinfo %s | grep -q 'Page size: *237'", in_folder("a.pdf"));
    assert_int_equal(system(command), 0); /* 3.3 inches of 72 pt */
}

static void test_width(void **state) {
    (void)state;
    needs("gnuplot");
    const char *data = write_data("dim 128 base 10000", 1), *path = in_folder("wide.svg");
    plot *figure;
    rope_error error;
    assert_int_equal(plot_new(&figure, "decay", NULL), ROPE_OK);
    plot_data(figure, data);
    plot_size(figure, 6.9);
    assert_int_equal(plot_draw(figure, path, NULL), ROPE_OK);
    check_file_contains(path, "width=\"662\""); /* 6.9 inches of 96 */
    static const double bad[] = {0.0, -1.0, 51.0, NAN};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        plot_size(figure, bad[k]);
        assert_int_equal(plot_draw(figure, path, &error), ROPE_BAD_INPUT);
        assert_string_equal(error.place, "--width");
    }
    plot_free(figure);
}

/* Every template draws. */
static void test_templates(void **state) {
    (void)state;
    needs("gnuplot");
    static const char *const templates[] = {"decay", "compare", "law", "envelope", "scores", "roformer-2"};
    const char *data = write_data("dim 128 base 10", 2);
    for (size_t k = 0; k < sizeof templates / sizeof *templates; k++) {
        const char *path = in_folder(k % 2 ? "t.svg" : "t.txt");
        draw_well(templates[k], data, path, NULL);
        assert_int_equal(unlink(path), 0);
    }
    FILE *out = fopen(in_folder("context.tsv"), "w");
    fputs("spec\tquantity\tbase\tbase_to\tcontext\nd\tcontext\t100\t100\t60\nd\tcontext\t10000\t10000\t1707\n"
          "d\tisland\t4000\t5000\t1024\n",
          out);
    assert_int_equal(fclose(out), 0);
    draw_well("context", in_folder("context.tsv"), in_folder("t.svg"), NULL);
}

/* A closed form and a level have their own names; curves with one name stand once in the key. */
static void test_law(void **state) {
    (void)state;
    needs("gnuplot");
    FILE *out = fopen(in_folder("law.tsv"), "w");
    fputs("spec\tquantity\tdistance\tvalue\terror_bound\n", out);
    for (int r = 1; r < 30; r++)
        fprintf(out,
                "dim 8 base 10\tsum\t%d\t%g\t1e-9\ndim 8 base 10\tsum-law\t%d\t%g\tnan\ndim 8 base "
                "10\tsum-floor\t%d\t0.1\tnan\n",
                r, 4.0 / r, r, 4.1 / r, r);
    assert_int_equal(fclose(out), 0);
    draw_well("law", in_folder("law.tsv"), in_folder("law.svg"), NULL);
    check_file_contains(in_folder("law.svg"), "closed form");
    check_file_contains(in_folder("law.svg"), "random phases");
    check_file_contains(in_folder("law.svg"), "C(r)");
}

/* ---- hostile text ---------------------------------------------------------------------------------- */

static const char *const hostile[] = {
    "a\"; system(\"touch x\"); \"", "`touch x`",          "$(touch x)",         "@touch '; !touch x '",
    "\\\"; system('touch x') \\",   "a\n!touch x\nb",     "]]><script/> & <b>", "{/Bold a}_b^c",
    "\xce\xb8 \xff \xef\xbf\xbe",   "\\input{x} %d #1 ~$"};

/* All of them as names of curves, and each as a variable of the script. */
static void draw_hostile(const char *label, const char *path) {
    char *data = in_folder("data.tsv"), name[16];
    FILE *out = fopen(data, "w");
    fputs("spec\tquantity\tdistance\tvalue\terror_bound\n", out);
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++)
        for (int r = 1; r <= 2; r++) {
            for (const char *c = hostile[k]; *c; c++)
                putc(*c == '\n' || *c == '\xff' ? ' ' : *c, out); /* as sheets do */
            fprintf(out, "\tbound\t%d\t%zu\t0\n", r, k + 1);
        }
    assert_int_equal(fclose(out), 0);
    plot *figure;
    rope_error error = {.reason = ""};
    assert_int_equal(plot_new(&figure, "decay", &error), ROPE_OK);
    plot_data(figure, data);
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
        snprintf(name, sizeof name, "text%zu", k);
        plot_set_text(figure, name, hostile[k]);
    }
    plot_set_text(figure, "xlabel", label);
    const rope_status status = plot_draw(figure, path, &error);
    if (status != ROPE_OK) fail_msg("%s", error.reason);
    plot_free(figure);
}

/* Nothing runs: the folder holds what was drawn and no file x; and the text is drawn as it is. */
static void test_hostile_text(void **state) {
    (void)state;
    needs("gnuplot");
    assert_int_equal(chdir(folder), 0);
    draw_hostile("]]><script/> {/Bold a}_b^c 1#1", "h.svg");
    draw_hostile("\\input{x} %d 1#1 ~$", "h.tex");
    assert_int_equal(entries(folder), 5); /* tmp, data.tsv, h.svg, h.tex, h-lines.eps */
    assert_int_equal(chdir(home), 0);
    check_file_contains(in_folder("h.svg"), ">]] >&lt;script/> {/Bold a}_b^c 1#1<");
    check_file_contains(in_folder("h.svg"), "`touch x`");
    check_file_contains(in_folder("h.tex"), "{}\\textbackslash{}input\\{x\\} \\%d 1\\#1 \\textasciitilde{}\\$}");
    check_file_contains(in_folder("h.tex"), "\\{/Bold a\\}\\_b\\textasciicircum{}c");
}

/* A name of a file is no command either; only LaTeX cannot have every name. */
static void test_hostile_names(void **state) {
    (void)state;
    needs("gnuplot");
    assert_int_equal(chdir(folder), 0);
    const char *data = write_data("dim 128", 1);
    rope_error error;
    static const char *const names[] = {"a\"; system(\"touch x\") #.svg", "`touch x`.svg", "$(touch x).txt",
                                        "-e 'x'.svg", "a\nb.svg"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        draw_well("decay", data, names[k], "keep here");
        assert_int_equal(access(names[k], F_OK), 0);
    }
    assert_int_equal(access("x", F_OK), -1);
    assert_int_equal(access("keep here/x", F_OK), -1);
    assert_int_equal(draw("decay", data, "50%.tex", NULL, &error), ROPE_BAD_INPUT);
    check_contains(error.hint, "letters");
    assert_int_equal(access("50%.tex", F_OK), -1);
    assert_int_equal(chdir(home), 0);
}

/* ---- failures -------------------------------------------------------------------------------------- */

static void check_failure(const char *data, const char *path, rope_status want, const char *reason) {
    rope_error error = {.reason = ""};
    const int before = entries(folder);
    assert_int_equal(draw("decay", data, path, in_folder("kept"), &error), want);
    check_contains(error.reason, reason);
    assert_int_equal(entries(folder), before);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void test_bad_data(void **state) {
    (void)state;
    needs("gnuplot");
    char *data = strdup(in_folder("bad.tsv"));
    check_failure(in_folder("none.tsv"), in_folder("a.svg"), ROPE_IO, "cannot be read");
    write_text(data, "");
    check_failure(data, in_folder("a.svg"), ROPE_IO, "gnuplot: ");
    write_text(data, "spec\tquantity\tdistance\tvalue\terror_bound\n");
    check_failure(data, in_folder("a.svg"), ROPE_IO, "gnuplot: ");
    write_text(data, "spec\tquantity\tdistance\tvalue\terror_bound\na\tb\t1\tundecided at 64 bits\tnan\n");
    check_failure(data, in_folder("a.png"), ROPE_IO, "no values");
    write_text(data, "x\ty\n1\t2\n");
    check_failure(data, in_folder("a.txt"), ROPE_IO, "gnuplot: ");
    FILE *many = fopen(data, "w");
    fputs("spec\tquantity\tdistance\tvalue\terror_bound\n", many);
    for (int k = 0; k < 60; k++) fprintf(many, "s%d\tbound\t%d\t1\t0\n", k / 2, k);
    fclose(many);
    check_failure(data, in_folder("a.svg"), ROPE_IO, "more than 24 curves");
    free(data);
}

/* A file that was there stays when the drawing fails, and is replaced when it succeeds. */
static void test_old_file(void **state) {
    (void)state;
    needs("gnuplot");
    char *path = strdup(in_folder("a.svg"));
    write_text(path, "old");
    write_text(in_folder("bad.tsv"), "");
    check_failure(in_folder("bad.tsv"), path, ROPE_IO, "gnuplot: ");
    check_file_contains(path, "old");
    draw_well("decay", write_data("dim 128", 1), path, NULL);
    check_file_contains(path, "<?xml");
    free(path);
}

static void test_bad_paths(void **state) {
    (void)state;
    const char *data = write_data("dim 128", 1);
    check_failure(data, in_folder("a.gif"), ROPE_BAD_INPUT, "ending");
    check_failure(data, in_folder("a"), ROPE_BAD_INPUT, "ending");
    check_failure(data, in_folder(".svg"), ROPE_BAD_INPUT, "ending");
    check_failure(data, in_folder("none/a.svg"), ROPE_IO, "cannot be written");
    rope_error error;
    plot *figure;
    assert_int_equal(plot_new(&figure, "no-such-figure", &error), ROPE_IO);
    assert_null(figure);
    check_contains(error.hint, "ROPE_PLOTS");
    needs("gnuplot");
    assert_int_equal(mkdir(in_folder("a.svg"), 0700), 0); /* a folder of that name */
    assert_int_equal(draw("decay", data, in_folder("a.svg"), NULL, &error), ROPE_IO);
    assert_string_equal(error.place, in_folder("a.svg"));
    write_text(in_folder("file"), "x"); /* a folder to keep things in that is a file */
    assert_int_equal(draw("decay", data, in_folder("b.svg"), in_folder("file"), &error), ROPE_IO);
    assert_int_equal(access(in_folder("b.svg"), F_OK), -1);
}

static void test_programs_missing(void **state) {
    (void)state;
    const char *data = write_data("dim 128", 1);
    char *path = strdup(getenv("PATH"));
    rope_error error;
    assert_int_equal(setenv("PATH", "", 1), 0);
    rope_status status = draw("decay", data, in_folder("a.svg"), NULL, &error);
    setenv("PATH", path, 1);
    assert_int_equal(status, ROPE_IO);
    assert_string_equal(error.place, "gnuplot");
    check_contains(error.hint, "install");

    write_text(in_folder("gnuplot"), "#!/bin/sh\nexit 0\n"); /* there, but the other one is not */
    chmod(in_folder("gnuplot"), 0755);
    setenv("PATH", folder, 1);
    status = plot_check(in_folder("a.pdf"), &error);
    setenv("PATH", path, 1);
    assert_int_equal(status, ROPE_IO);
    assert_string_equal(error.place, "rsvg-convert");
    check_contains(error.hint, "librsvg2-bin");
    free(path);
}

/* A gnuplot that ends before it reads, is killed, or draws nothing: an error, never SIGPIPE. */
static void test_broken_gnuplot(void **state) {
    (void)state;
    static const struct {
        const char *script, *reason;
    } cases[] = {{"#!/bin/sh\nexec 0<&-\necho 'line 1: broken' >&2\nexit 3\n", "line 1: broken"},
                 {"#!/bin/sh\nkill -9 $$\n", "without a message"},
                 {"#!/bin/sh\nexit 0\n", "cannot be read"}};
    const char *data = write_data("dim 128", 1);
    char *path = strdup(getenv("PATH")), *instead = NULL;
    assert_true(asprintf(&instead, "%s:%s", folder, path) > 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_text(in_folder("gnuplot"), cases[k].script);
        chmod(in_folder("gnuplot"), 0755);
        setenv("PATH", instead, 1);
        check_failure(data, in_folder("a.svg"), ROPE_IO, cases[k].reason);
        setenv("PATH", path, 1);
    }
    free(instead);
    free(path);
}

int main(void) {
#define in_own_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        in_own_folder(test_same_bytes),     in_own_folder(test_sizes),         in_own_folder(test_pdf_fonts),
        in_own_folder(test_width),          in_own_folder(test_templates),     in_own_folder(test_law),
        in_own_folder(test_hostile_text),   in_own_folder(test_hostile_names), in_own_folder(test_bad_data),
        in_own_folder(test_old_file),       in_own_folder(test_bad_paths),     in_own_folder(test_programs_missing),
        in_own_folder(test_broken_gnuplot),
    };
    if (!getcwd(home, sizeof home)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
