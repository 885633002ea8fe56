/* Sheets in all four formats, compared with text written by hand; files that are whole or not there. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analysis/command/sheet.h"

/* ---- helpers --------------------------------------------------------------------------------------- */

static char *printed(const sheet *s, const char *ending, bool header) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sheet_format_for_file(ending)->print(out, s, header);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void check_printed(const sheet *s, const char *ending, bool header, const char *want) {
    char *text = printed(s, ending, header);
    assert_string_equal(text, want);
    free(text);
}

static char *content(const char *path) {
    char *text = calloc(1, 4096);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 4095, file) < 4095);
    fclose(file);
    return text;
}

static sheet *decay_sheet(void) {
    sheet *s = sheet_new();
    sheet_comment(s, "rope-decay 0.1.0");
    sheet_column(s, "spec", SHEET_TEXT);
    sheet_column(s, "value", SHEET_NUMBER);
    sheet_row(s);
    sheet_text(s, "dim 128");
    sheet_number(s, 32.5, 0);
    sheet_row(s);
    sheet_text(s, "dim 64");
    sheet_number(s, -1.0 / 3.0, 3);
    return s;
}

static sheet *single(const char *text, sheet_kind kind) {
    sheet *s = sheet_new();
    sheet_column(s, "c", kind);
    sheet_row(s);
    sheet_text(s, text);
    return s;
}

static void check_cell(const char *ending, sheet_kind kind, const char *text, const char *want) {
    sheet *s = single(text, kind);
    check_printed(s, ending, false, want);
    sheet_free(s);
}

static char folder[64];
static char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/rope-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails, and with it the test, when a temporary file was left */
}

/* ---- formats --------------------------------------------------------------------------------------- */

static void test_formats(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    check_printed(s, "a.tsv", true, "# rope-decay 0.1.0\nspec\tvalue\ndim 128\t32.5\ndim 64\t-0.333\n");
    check_printed(s, "a.csv", true, "spec,value\r\ndim 128,32.5\r\ndim 64,-0.333\r\n");
    check_printed(s, "a.md", true, "| spec | value |\n| --- | ---: |\n| dim 128 | 32.5 |\n| dim 64 | -0.333 |\n");
    check_printed(
        s, "A.TEX", true,
        "% rope-decay 0.1.0\n% needs \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\nspec & value \\\\\n"
        "\\midrule\ndim 128 & $32.5$ \\\\\ndim 64 & $-0.333$ \\\\\n\\bottomrule\n\\end{tabular}\n");
    sheet_free(s);
}

/* The parts of a split sheet, one behind the other, are the sheet. */
static void test_without_header(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    check_printed(s, "a.tsv", false, "dim 128\t32.5\ndim 64\t-0.333\n");
    check_printed(s, "a.csv", false, "dim 128,32.5\r\ndim 64,-0.333\r\n");
    check_printed(s, "a.md", false, "| dim 128 | 32.5 |\n| dim 64 | -0.333 |\n");
    check_printed(s, "a.tex", false, "dim 128 & $32.5$ \\\\\ndim 64 & $-0.333$ \\\\\n");
    sheet_drop_rows(s);
    assert_int_equal(sheet_rows(s), 0);
    check_printed(s, "a.tsv", true, "# rope-decay 0.1.0\nspec\tvalue\n");
    sheet_row(s);
    sheet_text(s, "dim 8");
    check_printed(s, "a.tsv", false, "dim 8\t\n"); /* a short row is filled up */
    sheet_free(s);
}

static void test_terminal(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    sheet_row(s);
    sheet_text(s, "\xce\xb8\x1b[31m");
    sheet_number(s, 1e-300, 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sheet_print(out, s);
    fclose(out);
    assert_string_equal(text, "spec      value\ndim 128    32.5\ndim 64   -0.333\n\xce\xb8?[31m   1e-300\n");
    free(text);
    sheet_free(s);
}

static void test_endings(void **state) {
    (void)state;
    assert_null(sheet_format_for_file("decay.txt"));
    assert_null(sheet_format_for_file("tsv"));
    assert_null(sheet_format_for_file(".tsv"));
    assert_string_equal(sheet_format_for_file("a.b/c.Md")->extension, ".md");
    rope_error error;
    sheet *s = decay_sheet();
    assert_int_equal(sheet_write(s, "decay.txt", true, &error), ROPE_BAD_INPUT);
    assert_string_equal(error.place, "decay.txt");
    check_contains(error.hint, ".csv");
    assert_int_equal(sheet_check_path("-", &error), ROPE_OK);
    sheet_free(s);
}

/* ---- escaping -------------------------------------------------------------------------------------- */

static void test_escape_tsv(void **state) {
    (void)state;
    check_cell("a.tsv", SHEET_TEXT, "a\tb\nc\rd\\e", "a\\tb\\nc\\rd\\\\e\n");
    check_cell("a.tsv", SHEET_TEXT, "#1", "\\#1\n");
    check_cell("a.tsv", SHEET_TEXT, "1#", "1#\n");
    check_cell("a.tsv", SHEET_TEXT, "\xff\xce\xb8\x01", "\xef\xbf\xbd\xce\xb8 \n");
    sheet *s = sheet_new();
    sheet_comment(s, "one\ntwo");
    sheet_column(s, "c", SHEET_TEXT);
    check_printed(s, "a.tsv", true, "# one two\nc\n"); /* a comment stays one line */
    sheet_free(s);
}

/* RFC 4180, 2.5 to 2.7 */
static void test_escape_csv(void **state) {
    (void)state;
    check_cell("a.csv", SHEET_TEXT, "plain", "plain\r\n");
    check_cell("a.csv", SHEET_TEXT, "a,b", "\"a,b\"\r\n");
    check_cell("a.csv", SHEET_TEXT, "say \"hi\"", "\"say \"\"hi\"\"\"\r\n");
    check_cell("a.csv", SHEET_TEXT, "a\r\nb", "\"a\r\nb\"\r\n");
    check_cell("a.csv", SHEET_TEXT, " a", "\" a\"\r\n");
    check_cell("a.csv", SHEET_TEXT, "", "\r\n");
}

static void test_escape_markdown(void **state) {
    (void)state;
    check_cell("a.md", SHEET_TEXT, "a|b\\c", "| a\\|b\\\\c |\n");
    check_cell("a.md", SHEET_TEXT, "a\n| x |", "| a \\| x \\| |\n");
    check_cell("a.md", SHEET_TEXT, "<b>_x_ *y* `z` [l](u) &amp; $m$",
               "| \\<b\\>\\_x\\_ \\*y\\* \\`z\\` \\[l\\](u) \\&amp; \\$m\\$ |\n");
}

static void test_escape_latex(void **state) {
    (void)state;
    check_cell("a.tex", SHEET_TEXT, "#$%&_{}", "\\#\\$\\%\\&\\_\\{\\} \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "\\input{x}", "\\textbackslash{}input\\{x\\} \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "^~<>|",
               "\\textasciicircum{}\\textasciitilde{}\\textless{}\\textgreater{}\\textbar{} \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "--base rope-decay", "-{}-base rope-decay \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "[2pt]*''``\"", "{[}2pt]{*}{'}{'}{`}{`}{''} \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "a\n%b", "a \\%b \\\\\n");
}

static void test_latex_numbers(void **state) {
    (void)state;
    check_cell("a.tex", SHEET_NUMBER, "-1.5e-17", "$-1.5\\times 10^{-17}$ \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "1e+06", "$1\\times 10^{6}$ \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "-inf", "$-\\infty$ \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "nan", "nan \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "1e", "1e \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "1$", "1\\$ \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "undecided at 64 bits", "undecided at 64 bits \\\\\n");
    check_cell("a.tex", SHEET_NUMBER, "3.250000000000000000000000000000000000000e+01",
               "$3.250000000000000000000000000000000000000\\times 10^{1}$ \\\\\n");
    check_cell("a.tex", SHEET_TEXT, "1e6", "1e6 \\\\\n"); /* text stays text */
}

/* Where printf writes a comma, a sheet does not. */
static void test_locale(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool found = false;
    for (size_t k = 0; k < 4 && !found; k++) found = setlocale(LC_ALL, commas[k]) != NULL;
    if (!found) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    sheet *s = sheet_new();
    sheet_column(s, "c", SHEET_NUMBER);
    sheet_row(s);
    sheet_number(s, 0.1, 0);
    char *text = printed(s, "a.csv", false);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.1\r\n");
    free(text);
    sheet_free(s);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void test_write(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    char *path = strdup(in_folder("a.tsv"));
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    assert_int_equal(sheet_write(s, path, false, NULL), ROPE_OK);
    char *text = content(path);
    assert_string_equal(text, "dim 128\t32.5\ndim 64\t-0.333\n");
    free(text);

    char *other = strdup(in_folder("a.dat")); /* the format, not the ending, decides */
    assert_int_equal(sheet_write_as(s, sheet_format_for_file("a.md"), other, false, NULL), ROPE_OK);
    text = content(other);
    assert_string_equal(text, "| dim 128 | 32.5 |\n| dim 64 | -0.333 |\n");
    free(text);
    unlink(path);
    unlink(other);
    free(path);
    free(other);
    sheet_free(s);
}

static void test_write_behind_link(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    char *file = strdup(in_folder("real.tsv")), *name = strdup(in_folder("link.tsv"));
    fclose(fopen(file, "w"));
    assert_int_equal(symlink("real.tsv", name), 0);
    assert_int_equal(sheet_write(s, name, false, NULL), ROPE_OK);
    struct stat facts;
    assert_int_equal(lstat(name, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    char *text = content(file);
    assert_string_equal(text, "dim 128\t32.5\ndim 64\t-0.333\n");
    free(text);
    unlink(name);
    unlink(file);
    free(name);
    free(file);
    sheet_free(s);
}

static void test_write_failures(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    rope_error error;
    char *path = strdup(in_folder("none/a.tsv"));
    assert_int_equal(sheet_write(s, path, true, &error), ROPE_IO);
    assert_string_equal(error.place, path);
    check_contains(error.reason, strerror(ENOENT));
    assert_int_not_equal(error.hint[0], 0);
    free(path);

    assert_int_equal(sheet_write_as(s, sheet_format_for_file("a.tsv"), folder, true, &error), ROPE_IO);
    sheet_free(s);
}

/* A pipe or a device is written, not replaced; a full disk is told. The pipe comes first: were it replaced, so would be
 * /dev/full of this machine. */
static void test_write_device(void **state) {
    (void)state;
    const sheet_format *tsv = sheet_format_for_file("a.tsv");
    sheet *s = decay_sheet();
    char *pipe = strdup(in_folder("pipe")), text[64] = "";
    struct stat facts;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const int reader = open(pipe, O_RDONLY | O_NONBLOCK);
    assert_int_equal(sheet_write_as(s, tsv, pipe, false, NULL), ROPE_OK);
    assert_int_equal(stat(pipe, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_true(read(reader, text, sizeof text - 1) > 0);
    assert_string_equal(text, "dim 128\t32.5\ndim 64\t-0.333\n");
    close(reader);
    unlink(pipe);
    free(pipe);
    if (access("/dev/full", W_OK) == 0 && stat("/dev/full", &facts) == 0 && S_ISCHR(facts.st_mode)) {
        rope_error error;
        assert_int_equal(sheet_write_as(s, tsv, "/dev/full", true, &error), ROPE_IO);
        check_contains(error.reason, strerror(ENOSPC));
    }
    sheet_free(s);
}

/* Standard output, as .tsv, and what happens when it is full. */
static void test_write_standard_output(void **state) {
    (void)state;
    sheet *s = decay_sheet();
    char *path = strdup(in_folder("out"));
    fflush(stdout);
    const int saved = dup(1), file = open(path, O_WRONLY | O_CREAT, 0600), full = open("/dev/full", O_WRONLY);
    dup2(file, 1);
    const rope_status good = sheet_write(s, "-", true, NULL);
    if (full >= 0) dup2(full, 1);
    const rope_status bad = full >= 0 ? sheet_write(s, "-", true, NULL) : ROPE_IO;
    dup2(saved, 1);
    clearerr(stdout);
    close(saved);
    close(file);
    if (full >= 0) close(full);
    assert_int_equal(good, ROPE_OK);
    assert_int_equal(bad, ROPE_IO);
    char *text = content(path);
    assert_string_equal(text, "# rope-decay 0.1.0\nspec\tvalue\ndim 128\t32.5\ndim 64\t-0.333\n");
    free(text);
    unlink(path);
    free(path);
    sheet_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_without_header),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_escape_tsv),
        cmocka_unit_test(test_escape_csv),
        cmocka_unit_test(test_escape_markdown),
        cmocka_unit_test(test_escape_latex),
        cmocka_unit_test(test_latex_numbers),
        cmocka_unit_test(test_locale),
        cmocka_unit_test_setup_teardown(test_write, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_write_behind_link, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_write_failures, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_write_device, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_write_standard_output, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
