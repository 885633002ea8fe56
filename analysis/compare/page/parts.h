/* The parts of the page that are made for each run; page.html says where each stands. */
#ifndef ROPE_COMPARE_PAGE_PARTS_H
#define ROPE_COMPARE_PAGE_PARTS_H

#include <stdio.h>

#include "../measure.h"
#include "view.h"

typedef struct page_content {
    const compare_data *data;
    const encoding *const *list;
    const measurement *measured;
    int count;
    int64_t shift;
    int stops;
    int64_t stop[VIEW_STOPS];
    scheme_view *views; /* [count] */
} page_content;

void put_overview(FILE *out, const page_content *page); /* the schemes side by side */
void put_defects(FILE *out, const page_content *page);  /* the shift defect of every term */
void put_schemes(FILE *out, const page_content *page);  /* a section for each scheme */

/* "0" and what rounding allows, or the defect. */
void put_defect(FILE *out, const shift_defect *defect);
void put_norm(FILE *out, const measurement *measured); /* by how much positions change the length of a query */
const char *yes_or_no(bool yes);
bool says_number(const char *formula, int64_t number); /* "0 (N d additions)" says 0 */

/* page.html with each line <!--NAME--> replaced by what put(NAME) writes. */
void put_template(FILE *out, const page_content *page,
                  void (*put)(FILE *out, const char *name, const page_content *page));
extern const char *const page_style[], *const page_script[]; /* lines; end with NULL */
void put_lines(FILE *out, const char *const *line);

#endif
