/* rope-verify's verdict on a twin, and what tests ask of it. */
#ifndef ROPE_TESTS_JUDGE_H
#define ROPE_TESTS_JUDGE_H

#include "../../analysis/verify/verify.h"
#include "twin.h"

/* The report of a dump; fails the test when it cannot be opened. The caller frees it. */
report *twin_judge(const twin_dump *dump);

/* The report of a kernel that computes as the twin does. One at a time: a subject_kernel has no context. */
report *twin_judge_kernel(const twin *t);

report_verdict twin_verdict(const report *found, const char *claim); /* skipped when the report has no such claim */
const report_claim *twin_claim(const report *found, const char *claim);

/* Every claim holds or does not apply; else the report is printed and the test fails. */
void twin_expect_holds(const report *found, const char *what);

/* diagnosis[0] is "KIND name=value name=value": kind and every parameter named, numbers within the relative bound; NULL:
 * no diagnosis at all. */
bool twin_is_named(const report *found, const char *expected, double bound);
void twin_expect_named(const report *found, const char *expected, double bound, const char *what);

/* The whole report, for a failure. */
void twin_print(const report *found);

/* Is the word one of the list's, which are separated by spaces? Either may be NULL. */
bool twin_listed(const char *list, const char *word);

#endif
