/* report.html: one self-contained page for a run. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "kit.h"

/* Writes DIRECTORY/report.html. False after a message in `error`. */
bool lab_report_write(const lab_settings *settings, const lab_section *sections, size_t count, double seconds,
                      char *error, size_t size);

#endif
