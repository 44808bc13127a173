/* Lines and tokens of a text in memory, with the position of each for messages.
 *
 *     for (; !ap_text_at_end(&text); ap_text_skip_line(&text))
 *         if (ap_text_token(&text, &token)) ...   // the first token of a line that is not blank or a comment
 *
 * Lines end with LF, CR LF or CR; the last one needs no end. Bytes are bytes: a NUL is part of a token. */
#ifndef AP_TEXT_H
#define AP_TEXT_H

#include <apart/io.h>

/* A piece of the text; length 0 stands for the end of the line or of the file at that place. */
typedef struct ap_token {
    const char *start;
    size_t length;
    size_t line, column;
} ap_token;

typedef struct ap_text {
    const char *data;
    size_t size, position;
    size_t line, line_start;
    ap_token last;  /* the token read last */
    char comment;   /* starts a comment where a token could start; 0: none */
    char separator; /* ends a token like a blank does, but must be taken with ap_text_take; 0: none */
    int continues;  /* a backslash before the end of a line joins the next line to it */
    const char *name;
    apart_io_error *error;
} ap_text;

/* A byte-order mark is skipped. `comment` may be 0. */
void ap_text_open(ap_text *text, const void *data, size_t size, char comment, const char *name, apart_io_error *error);

int ap_text_at_end(const ap_text *text);

/* The next token of this line; 0 and an empty token at the end of the line. */
int ap_text_token(ap_text *text, ap_token *token);

/* The next token, on this line or a later one; 0 and an empty token at the end of the file. */
int ap_text_token_across(ap_text *text, ap_token *token);

/* Takes the character if it comes next on this line. */
int ap_text_take(ap_text *text, char c);

/* Drops the rest of the line and goes to the next. */
void ap_text_skip_line(ap_text *text);

/* The rest of the line without blanks at its ends, a comment included. */
ap_token ap_text_rest(ap_text *text);

/* Goes to the next line that is not empty, unless this one is not; 0 at the end of the file. */
int ap_text_content_line(ap_text *text);

/* The same where the file must not end: the error is "expected WHAT 3 of 8, found the end of the file". */
apart_status ap_text_record(ap_text *text, const char *what, uint64_t number, uint64_t count);

/* APART_OK at the end of the line, otherwise "expected the end of the line ...". `after` names what precedes it. */
apart_status ap_text_line_end(ap_text *text, const char *after);

/* The next token of the line as a finite number; otherwise "expected WHAT, found ...". */
apart_status ap_text_number(ap_text *text, const char *what, double *out);

/* The next token of the line as a whole number >= minimum. */
apart_status ap_text_count(ap_text *text, const char *what, int64_t minimum, uint64_t *out);

/* Returns APART_ERR_SYNTAX with the message "NAME:LINE: expected WHAT, found 'TOKEN'". */
apart_status ap_text_expected(const ap_text *text, const ap_token *found, const char *what, ...);

int ap_token_is(const ap_token *token, const char *word);
int ap_token_is_nocase(const ap_token *token, const char *word);

/* Parses a decimal or hexadecimal (0x1.8p3) number that fills all n bytes, correctly rounded, in any locale; 0 if
 * it is not a number. Values out of range give an infinity. */
int ap_parse_number(const char *s, size_t n, double *out);

/* Parses a decimal integer that fills all n bytes and fits; 0 if it does not. */
int ap_parse_integer(const char *s, size_t n, int64_t *out);

/* Formats a number with 17 significant digits and a decimal point, in any locale. */
void ap_format_number(double value, char out[40]);

#endif
