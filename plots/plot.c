#include "plot.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/format/outfile.h"
#include "../analysis/report/escape.h"
#include "../analysis/report/number.h"
#include "program.h"

typedef struct variable {
    char *name, *value; /* a gnuplot expression */
} variable;

struct plot {
    char *folder, *template; /* FOLDER/TEMPLATE.gp */
    char *data, *keep;
    double width; /* inches */
    variable *variable;
    size_t variables;
};

typedef struct plot_format {
    const char *name;      /* what style.gp calls it, and the ending without its dot */
    const char *companion; /* how the name of a second file ends */
    const char *program;   /* needed beside gnuplot; by its name in programs[] */
} plot_format;

static const plot_format formats[] = {{"svg", NULL, NULL},
                                      {"png", NULL, NULL},
                                      {"pdf", NULL, "rsvg-convert"},
                                      {"tex", "-lines.eps", NULL},
                                      {"txt", NULL, NULL}};

static const plot_format *format_for(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && dot > path && dot[-1] != '/' && k < sizeof formats / sizeof *formats; k++)
        if (!strcasecmp(dot + 1, formats[k].name)) return &formats[k];
    return NULL;
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *form, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, form);
    if (vasprintf(&text, form, arguments) < 0) abort();
    va_end(arguments);
    return text;
}

/* ---- the figure ------------------------------------------------------------------------------------ */

static bool has_template(const char *folder, const char *template) {
    char *path = text_of("%s/%s.gp", folder, template);
    const bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

/* The folder of the templates; memory the caller frees, NULL when there is none. */
static char *find_folder(const char *template) {
    const char *chosen = getenv("ROPE_PLOTS");
    if (chosen && *chosen) return has_template(chosen, template) ? text_of("%s", chosen) : NULL;
    static const char *const beside[] = {"../plots", "../../plots", "../share/rope/plots"};
    char *home = program_folder(), *found = NULL;
    for (size_t k = 0; home && !found && k < sizeof beside / sizeof *beside; k++) {
        char *folder = text_of("%s/%s", home, beside[k]);
        if (has_template(folder, template))
            found = folder;
        else
            free(folder);
    }
    free(home);
    return found;
}

rope_status plot_new(plot **figure, const char *template, rope_error *error) {
    assert(template[strspn(template, "abcdefghijklmnopqrstuvwxyz0123456789-")] == 0);
    *figure = NULL;
    char *folder = find_folder(template);
    if (!folder)
        return rope_fail(error, ROPE_IO, template,
                         "set ROPE_PLOTS to the folder plots of the sources, or install again",
                         "the script of this figure is not there");
    plot *new = calloc(1, sizeof *new);
    if (!new) abort();
    *new = (plot){.folder = folder, .template = text_of("%s", template), .width = 3.3};
    *figure = new;
    return ROPE_OK;
}

void plot_free(plot *figure) {
    if (!figure) return;
    for (size_t k = 0; k < figure->variables; k++) {
        free(figure->variable[k].name);
        free(figure->variable[k].value);
    }
    free(figure->variable);
    free(figure->folder);
    free(figure->template);
    free(figure->data);
    free(figure->keep);
    free(figure);
}

static void replace(char **old, const char *new) {
    free(*old);
    *old = text_of("%s", new);
}

void plot_data(plot *figure, const char *path) {
    replace(&figure->data, path);
}
void plot_keep(plot *figure, const char *directory) {
    replace(&figure->keep, directory);
}
void plot_size(plot *figure, double width_inches) {
    figure->width = width_inches;
}

static void set(plot *figure, const char *name, char *value) {
    assert(isalpha((unsigned char)*name) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")]);
    figure->variable = realloc(figure->variable, (figure->variables + 1) * sizeof *figure->variable);
    if (!figure->variable) abort();
    figure->variable[figure->variables++] = (variable){text_of("%s", name), value};
}

void plot_set_number(plot *figure, const char *name, double value) {
    set(figure, name, text_of("%s", number_exact(value).text));
}

/* A gnuplot string in double quotes. There ` runs a command, @ expands a macro, \ escapes: everything of ASCII but
 * letters, digits and a few harmless marks is written as \ooo. Control characters become spaces, what is no UTF-8
 * U+FFFD. */
static char *quoted(const char *text) {
    char *out = malloc(9 * strlen(text) + 3), *end = out;
    if (!out) abort();
    *end++ = '"';
    while (*text) {
        const char *start = text;
        const uint32_t rune = escape_next(&text);
        if (rune < 0x80) {
            const bool control = rune < 0x20 || rune == 0x7f,
                       harmless = isalnum((int)rune) || strchr(" .,:;()/=+-_", (int)rune);
            if (control || harmless)
                *end++ = control ? ' ' : (char)rune;
            else
                end += sprintf(end, isdigit((unsigned char)*text) ? "\\%03o\" . \"" : "\\%03o", (unsigned)rune);
        } else if (rune == ESCAPE_REPLACEMENT || rune == 0xfffe || rune == 0xffff) { /* no XML may hold these */
            end = stpcpy(end, "\xef\xbf\xbd");
        } else {
            while (start < text) *end++ = *start++;
        }
    }
    *end++ = '"';
    *end = 0;
    return out;
}

void plot_set_text(plot *figure, const char *name, const char *value) {
    set(figure, name, quoted(value));
}

/* ---- the script ------------------------------------------------------------------------------------ */

/* FOLDER/NAME.gp with every line "#include NAME" replaced by that file. */
static bool append_template(FILE *script, const char *folder, const char *name, int depth) {
    char *path = text_of("%s/%s.gp", folder, name), *line = NULL;
    size_t room = 0;
    FILE *in = depth < 8 ? fopen(path, "re") : NULL;
    bool read = in != NULL;
    while (read && getline(&line, &room, in) >= 0) {
        char included[64];
        if (sscanf(line, "#include %63[a-z0-9-]", included) == 1)
            read = append_template(script, folder, included, depth + 1);
        else
            fputs(line, script);
    }
    read = read && !ferror(in);
    if (in) fclose(in);
    free(line);
    free(path);
    return read;
}

/* name is that of data file, script and output; only letters, digits and ._- are in it. */
static bool print_script(FILE *script, const plot *figure, const plot_format *format, const char *name) {
    static const double golden = 1.618033988749895;
    fprintf(script, "# gnuplot %s.gp draws %s.%s from %s.tsv.\n\n", name, name, format->name, name);
    fprintf(script, "format = \"%s\"\nname = \"%s\"\ndata = \"%s.tsv\"\n", format->name, name, name);
    fprintf(script, "width = %s\n", number_exact(figure->width).text);
    fprintf(script, "height = %s\n", number_short(figure->width / golden, 6).text);
    for (size_t k = 0; k < figure->variables; k++)
        fprintf(script, "%s = %s\n", figure->variable[k].name, figure->variable[k].value);
    putc('\n', script);
    return append_template(script, figure->folder, figure->template, 0);
}

/* "decay" of "out/decay.pdf". What a shell, gnuplot or LaTeX could take for its own becomes _. */
static char *name_for(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = text_of("%.*s", (int)(strrchr(base, '.') - base), base);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c) ||
            (c == name && (*c == '-' || *c == '.')))
            *c = '_';
    return name;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static rope_status copy_into(FILE *out, const char *from, rope_error *error) {
    FILE *in = fopen(from, "re");
    char block[1 << 16];
    size_t n;
    while (in && (n = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, n, out);
    const bool bad = !in || ferror(in);
    const int reason = errno;
    if (in) fclose(in);
    return bad ? rope_fail(error, ROPE_IO, from, NULL, "cannot be read: %s", strerror(reason)) : ROPE_OK;
}

typedef struct delivery {
    char *from, *to;
    outfile file;
} delivery;

enum { DELIVERIES = 4 }; /* output, its companion, data, script */

/* All files or none, but for a failure between two renames. */
static rope_status deliver(delivery *file, int count, rope_error *error) {
    int opened = 0, closed = 0;
    rope_status status = ROPE_OK;
    while (status == ROPE_OK && opened < count) {
        status = outfile_open(&file[opened].file, file[opened].to, error);
        if (status != ROPE_OK) break;
        status = copy_into(file[opened].file.stream, file[opened].from, error);
        opened++;
    }
    while (status == ROPE_OK && closed < count) status = outfile_close(&file[closed++].file, error);
    while (closed < opened) outfile_abandon(&file[closed++].file);
    return status;
}

static void remove_folder(const char *folder) {
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        char *path = text_of("%s/%s", folder, entry->d_name);
        unlink(path); /* fails for . and .. */
        free(path);
    }
    if (entries) closedir(entries);
    rmdir(folder);
}

static rope_status make_folder(char **folder, rope_error *error) {
    const char *parent = getenv("TMPDIR");
    *folder = text_of("%s/rope-plot-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(*folder)) return ROPE_OK;
    const rope_status status = rope_fail(error, ROPE_IO, *folder, "set TMPDIR to a folder that can be written",
                                         "cannot be made: %s", strerror(errno));
    free(*folder);
    *folder = NULL;
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------------- */

rope_status plot_check(const char *path, rope_error *error) {
    const plot_format *format = format_for(path);
    if (!format)
        return rope_fail(error, ROPE_BAD_INPUT, path, "end it in .pdf, .svg, .png, .tex or .txt",
                         "the ending says no format of a figure");
    const char *slash = strrchr(path, '/');
    char *folder = slash ? text_of("%.*s", slash == path ? 1 : (int)(slash - path), path) : text_of(".");
    const bool writable = access(folder, W_OK | X_OK) == 0;
    free(folder);
    if (!writable)
        return rope_fail(error, ROPE_IO, path, "is the folder there and writable?", "cannot be written: %s",
                         strerror(errno));
    const rope_status status = program_check("gnuplot", error);
    return status == ROPE_OK && format->program ? program_check(format->program, error) : status;
}

static rope_status check(const plot *figure, const plot_format *format, const char *path, const char *name,
                         rope_error *error) {
    if (!(figure->width >= 1.0 && figure->width <= 50.0))
        return rope_fail(error, ROPE_BAD_INPUT, "--width", "3.3 fits one column of a paper, 6.9 two",
                         "%s inches are not between 1 and 50", number_short(figure->width, 6).text);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (format->companion && strncmp(base, name, strlen(name)) != 0)
        return rope_fail(error, ROPE_BAD_INPUT, path, "use letters, digits, and . _ - (not first)",
                         "LaTeX could not read a file of this name");
    if (strlen(name) > 200) return rope_fail(error, ROPE_BAD_INPUT, path, NULL, "the name is too long");
    return ROPE_OK;
}

/* Data and script into the folder: data first, so that a missing file is told as what it is. */
static rope_status prepare(const plot *figure, const plot_format *format, const char *folder, const char *name,
                           rope_error *error) {
    char *data = text_of("%s/%s.tsv", folder, name), *script = text_of("%s/%s.gp", folder, name);
    outfile file;
    rope_status status = outfile_open(&file, data, error);
    if (status != ROPE_OK) goto done;
    status = copy_into(file.stream, figure->data, error);
    if (status != ROPE_OK) {
        outfile_abandon(&file);
        goto done;
    }
    status = outfile_close(&file, error);
    if (status == ROPE_OK) status = outfile_open(&file, script, error);
    if (status != ROPE_OK) goto done;
    if (print_script(file.stream, figure, format, name)) {
        status = outfile_close(&file, error);
    } else {
        outfile_abandon(&file);
        status = rope_fail(error, ROPE_IO, figure->folder, "install again", "a script of the figure cannot be read");
    }
done:
    free(data);
    free(script);
    return status;
}

/* gnuplot's exit status is not 0 when a command failed; a curve without a single point is only a warning. */
static rope_status run_gnuplot(const char *folder, const char *name, const char *path, rope_error *error) {
    char *command = text_of("load \"%s.gp\"\n", name), *said = NULL;
    int exit_status = 0;
    rope_status status = program_run(&exit_status, &said, "gnuplot", "-d", folder, command, error);
    if (status == ROPE_OK && (exit_status != 0 || strstr(said, "no valid points")))
        status = rope_fail(error, ROPE_IO, path, "are the data whole, and is this gnuplot 5.4 or later?", "gnuplot: %s",
                           *said ? said : "failed without a message");
    free(said);
    free(command);
    return status;
}

static rope_status deliver_all(const plot *figure, const plot_format *format, const char *folder, const char *name,
                               const char *path, rope_error *error) {
    delivery file[DELIVERIES];
    int count = 0;
    const int stem = (int)(strrchr(path, '.') - path);
    if (format->companion)
        file[count++] = (delivery){.from = text_of("%s/%s%s", folder, name, format->companion),
                                   .to = text_of("%.*s%s", stem, path, format->companion)};
    file[count++] = (delivery){.from = text_of("%s/%s.%s", folder, name, format->name), .to = text_of("%s", path)};
    const bool made = figure->keep && mkdir(figure->keep, 0777) == 0; /* a failure shows when the files are opened */
    if (figure->keep) {
        file[count++] =
            (delivery){.from = text_of("%s/%s.tsv", folder, name), .to = text_of("%s/%s.tsv", figure->keep, name)};
        file[count++] =
            (delivery){.from = text_of("%s/%s.gp", folder, name), .to = text_of("%s/%s.gp", figure->keep, name)};
    }
    const rope_status status = deliver(file, count, error);
    if (made && status != ROPE_OK) rmdir(figure->keep);
    for (int k = 0; k < count; k++) {
        free(file[k].from);
        free(file[k].to);
    }
    return status;
}

rope_status plot_draw(plot *figure, const char *path, rope_error *error) {
    assert(figure->data);
    rope_status status = plot_check(path, error);
    if (status != ROPE_OK) return status;
    const plot_format *format = format_for(path);
    char *name = name_for(path), *folder = NULL;
    status = check(figure, format, path, name, error);
    if (status == ROPE_OK) status = make_folder(&folder, error);
    if (status == ROPE_OK) status = prepare(figure, format, folder, name, error);
    if (status == ROPE_OK) status = run_gnuplot(folder, name, path, error);
    if (status == ROPE_OK) status = deliver_all(figure, format, folder, name, path, error);
    if (folder) remove_folder(folder);
    free(folder);
    free(name);
    return status;
}
