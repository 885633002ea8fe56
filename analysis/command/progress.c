#include "options.h"

#include <inttypes.h>
#include <time.h>

enum { BAR = 30 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void option_bar_begin(option_bar *bar, bool on, const char *label, uint64_t total) {
    *bar = (option_bar){.on = on, .label = label, .total = total};
    option_bar_step(bar, 0);
}

void option_bar_step(option_bar *bar, uint64_t done) {
    if (!bar->on) return;
    const double now = seconds();
    if (bar->last > 0 && now - bar->last < 0.1) return;
    bar->last = now;
    if (bar->total == 0) {
        fprintf(stderr, "\r%s %" PRIu64, bar->label, done);
        return;
    }
    const double part = done < bar->total ? (double)done / (double)bar->total : 1.0;
    static const char full[] = "##############################", empty[] = "..............................";
    const int filled = (int)(BAR * part);
    fprintf(stderr, "\r%s [%.*s%.*s] %3d %%", bar->label, filled, full, BAR - filled, empty, (int)(100 * part));
}

/* Leaves an empty line: "\033[K" erases to its end. */
void option_bar_end(option_bar *bar) {
    if (bar->on) fputs("\r\033[K", stderr);
    bar->on = false;
}
