/* The printers, one file each; report.c lists them. */
#ifndef ROPE_REPORT_FORMAT_H
#define ROPE_REPORT_FORMAT_H

#include "report.h"

void format_text(FILE *out, const report_run *run, const report_style *style);  /* for people */
void format_json(FILE *out, const report_run *run, const report_style *style);  /* rope-verify-1.schema.json */
void format_tap(FILE *out, const report_run *run, const report_style *style);   /* Test Anything Protocol, version 13 */
void format_junit(FILE *out, const report_run *run, const report_style *style); /* the XML that CI systems read */

#endif
