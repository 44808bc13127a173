/* What a run leaves: report.html, one self-contained page; results.md, the claims of the papers with their verdicts, and
 * claims.csv, the same as numbers. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "kit.h"

/* Writes DIRECTORY/report.html. False after a message in `error`. */
bool lab_report_write(const lab_settings *settings, const lab_section *sections, size_t count, double seconds,
                      char *error, size_t size);
/* Likewise results.md and claims.csv. */
bool lab_results_write(const lab_settings *settings, const lab_section *sections, size_t count, double seconds,
                       char *error, size_t size);

void lab_processor_name(char name[128]);

#endif
