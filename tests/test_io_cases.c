/* Numbers as text in any locale, and case files: what they hold, every error with its line and words. */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apart/apart.h>
#include <apart/io.h>

#include "text/text.h"

/* ---- numbers ---- */

static double parsed(const char *text)
{
    double value = NAN;
    ck_assert_msg(ap_parse_number(text, strlen(text), &value), "'%s' is a number", text);
    return value;
}

START_TEST(numbers_are_exact)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1.5",
                                        "-.5",
                                        "5.",
                                        "0.1",
                                        "1e3",
                                        "1E-3",
                                        "123456789.123456789e-5",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "2.2250738585072011e-308",
                                        "9007199254740993",
                                        "8.5899345920000000001e9",
                                        "000000.0000000000000000000000000000001",
                                        "179769313486231580793728971405301e276",
                                        "1e-400",
                                        "0e999999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const double expected = strtod(texts[i], NULL), value = parsed(texts[i]);
        ck_assert_msg(memcmp(&expected, &value, sizeof value) == 0, "%s: %.17g is not %.17g", texts[i], value,
                      expected);
    }
    ck_assert(parsed("0x1.8p3") == 12.0 && parsed("-0X.8P1") == -1.0 && parsed("0xffp-4") == 15.9375 &&
              parsed("0x10") == 16.0);
    ck_assert(parsed("0x1.00000000000008p0") == 1.0);
    ck_assert(parsed("0x1.000000000000080000000000000001p0") == 1.0 + 0x1p-52);
    ck_assert(isinf(parsed("1e309")) && isinf(parsed("-1e99999999999999999999")));
}
END_TEST

/* Halfway between two doubles, and a digit after hundreds of zeros that decides. */
START_TEST(numbers_round_at_any_length)
{
    const size_t n = 5000;
    char *text = malloc(n + 64);
    memset(text, '0', n + 64);
    memcpy(text, "9007199254740993.", 17);
    double value;
    ck_assert(ap_parse_number(text, n, &value));
    ck_assert(value == 9007199254740992.0);
    text[n - 1] = '1';
    ap_parse_number(text, n, &value);
    ck_assert(value == 9007199254740994.0);
    memset(text, '0', n);
    text[1] = '.';
    memcpy(text + n, "25e5000", 7);
    ap_parse_number(text, n + 7, &value);
    ck_assert(value == 25.0);
    free(text);
}
END_TEST

START_TEST(other_words_are_no_numbers)
{
    static const char *const texts[] = {"",    "-",  ".",   "+.",   "e5",   "1e",   "1e+",  "1.2.3",
                                        "1,5", "0x", "0x.", "0xp1", "nan",  "inf",  "-inf", "infinity",
                                        "1 ",  " 1", "1f",  "--1",  "1e5.", "0x1p", "1\x00"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(!ap_parse_number(texts[i], strlen(texts[i]) + (i + 1 == sizeof texts / sizeof texts[0]), &value),
                      "'%s'", texts[i]);
    }
    int64_t whole;
    ck_assert(ap_parse_integer("-42", 3, &whole) && whole == -42);
    ck_assert(!ap_parse_integer("", 0, &whole) && !ap_parse_integer("-", 1, &whole) &&
              !ap_parse_integer("1.0", 3, &whole));
    ck_assert(!ap_parse_integer("99999999999999999999", 20, &whole));
}
END_TEST

START_TEST(numbers_survive_writing)
{
    const double values[] = {0.1, -1e-300, 4.9e-324, 1.7976931348623157e308, 1.0 / 3, 12345.678, -0.0, 100, 1e22};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[40];
        ap_format_number(values[i], text);
        const double back = parsed(text);
        ck_assert_msg(memcmp(&back, &values[i], sizeof back) == 0, "%s", text);
    }
}
END_TEST

START_TEST(the_locale_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    size_t i = 0;
    while (i < sizeof names / sizeof names[0] && !setlocale(LC_ALL, names[i])) {
        i++;
    }
    if (i == sizeof names / sizeof names[0]) {
        printf("skipped: no locale with a decimal comma is installed\n");
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.1f", 1.5);
    ck_assert_str_ne(text, "1.5");
    ck_assert(parsed("1.5e-3") == 1.5e-3 && parsed("0x1.8p0") == 1.5 && parsed(".25") == 0.25);
    double value;
    ck_assert(!ap_parse_number("1,5", 3, &value));
    ap_format_number(-1234.5, text);
    ck_assert_str_eq(text, "-1234.5");
}
END_TEST

/* ---- case files ---- */

static apart_case_file *open_cases(const char *text)
{
    apart_case_file *file = NULL;
    ck_assert_int_eq(apart_case_open_memory(text, strlen(text), "t", &file, NULL), APART_OK);
    return file;
}

START_TEST(cases_of_both_kinds)
{
    apart_case_file *file = open_cases(
        "# two\r\n\r\ncase a.1\r\ndim 2\r\nA 2\r\n0 0.1\r\n1 0\r\nB 1\r\n# c\r\n5 5\r\nexpect distance -6.4e0\r\n"
        "expect relation overlapping\r\ncase b\nA box 1 2 3 quat 2 0 0 0 at 4 5 6\nB 1\n7 8 9");
    apart_case c;
    int found;
    apart_io_error error = {.message = ""};
    ck_assert_msg(apart_case_next(file, &c, &found, &error) == APART_OK && found, "%s", error.message);
    ck_assert_str_eq(c.name, "a.1");
    ck_assert(c.dim == 2 && c.line == 3 && c.has_distance && c.distance == -6.4 && c.relation == APART_OVERLAPPING);
    ck_assert(c.a.is_points && c.a.count == 2 && c.b.count == 1 && c.a.coordinates[1] == 0.1 &&
              c.b.coordinates[1] == 5);
    ck_assert_msg(apart_case_next(file, &c, &found, &error) == APART_OK && found, "%s", error.message);
    ck_assert(c.dim == 3 && c.line == 13 && !c.has_distance && c.relation == -1 && !c.a.is_points && c.b.is_points);
    ck_assert(c.a.shape.kind == APART_SHAPE_BOX && c.a.shape.u.half_extents.y == 2);
    ck_assert(c.a.pose.rotation.x.x == 1 && c.a.pose.translation.z == 6 && c.b.coordinates[2] == 9);
    ck_assert(apart_case_next(file, &c, &found, &error) == APART_OK && !found);
    apart_case_close(file);
}
END_TEST

START_TEST(cases_with_every_primitive)
{
    static const char text[] =
        "case p\nA sphere 1\nB capsule 1 2 at 1 2 3\ncase q\nA cylinder 1 2 quat 1 1 1 1\nB cone 1 2\ncase r\n"
        "A ellipsoid 1 2 3 quat 0 0 0 2 at 1 1 1\nB box 0 0 0\n";
    static const int kinds[] = {APART_SHAPE_POINT, APART_SHAPE_SEGMENT,   APART_SHAPE_CYLINDER,
                                APART_SHAPE_CONE,  APART_SHAPE_ELLIPSOID, APART_SHAPE_BOX};
    apart_case_file *file = open_cases(text);
    apart_case c;
    int found;
    for (int i = 0; i < 3; i++) {
        ck_assert(apart_case_next(file, &c, &found, NULL) == APART_OK && found);
        ck_assert_int_eq(c.a.shape.kind, kinds[2 * i]);
        ck_assert_int_eq(c.b.shape.kind, kinds[2 * i + 1]);
        ck_assert_int_eq(apart_pose_check(&c.a.pose), APART_OK);
    }
    apart_case_close(file);
}
END_TEST

typedef struct bad_file {
    const char *text;
    size_t column;
    const char *message;
} bad_file;

static const bad_file bad_cases[] = {
    {"A 1\n", 1, "t:1: expected 'case NAME', found 'A'"},
    {"case\n", 5, "t:1: expected a printable case name of at most 127 bytes, found the end of the line"},
    {"case a\x7f\n", 6, "t:1: expected a printable case name of at most 127 bytes, found 'a\\x7f'"},
    {"case a b\n", 8, "t:1: expected the end of the line after the name, found 'b'"},
    {"case a\ndim 0\n", 5, "t:2: expected a dimension from 1 to 1024, found '0'"},
    {"case a\ndim 1025\n", 5, "t:2: expected a dimension from 1 to 1024, found '1025'"},
    {"case a\nA 0\n", 3,
     "t:2: expected a number of points >= 1 or sphere, capsule, box, cylinder, cone, ellipsoid, found '0'"},
    {"case a\nA\n", 2, "t:2: expected a number of points or a shape, found the end of the line"},
    {"case a\nA 2\n0 0 0\n0 0\n", 4, "t:4: expected a coordinate, found the end of the line"},
    {"case a\nA 1\n0 0 0 0\n", 7, "t:3: expected the end of the line after the last coordinate, found '0'"},
    {"case a\nA 1\n0 nan 0\n", 3, "t:3: expected a coordinate, found 'nan'"},
    {"case a\nA 2\n0 0 0\nB 1\n", 1, "t:4: expected a coordinate, found 'B'"},
    {"case a\nA 1\n0 0 0\n", 1, "t:4: expected the body B of the case 'a', found the end of the file"},
    {"case a\ncase b\n", 1, "t:2: expected the body A of the case 'a', found 'case'"},
    {"case a\nA sphere 1\nA sphere 1\n", 1,
     "t:3: expected 'dim', then 'A' and 'B' once each, 'expect' or the next 'case', found 'A'"},
    {"case a\nA sphere 1\ndim 3\n", 1,
     "t:3: expected 'dim', then 'A' and 'B' once each, 'expect' or the next 'case', found 'dim'"},
    {"case a\ndim 2\nA sphere 1\n", 3, "t:3: expected points in a case of dimension 2, found 'sphere'"},
    {"case a\nA torus 1 2\n", 3,
     "t:2: expected a number of points >= 1 or sphere, capsule, box, cylinder, cone, ellipsoid, found 'torus'"},
    {"case a\nA box 1 2 quat 1 0 0 0\n", 11, "t:2: expected a size of the shape, found 'quat'"},
    {"case a\nA sphere 1 quat 1 0 0 at 1 2 3\n", 23, "t:2: expected four numbers after 'quat', found 'at'"},
    {"case a\nA sphere 1 at 1 2\n", 18, "t:2: expected three numbers after 'at', found the end of the line"},
    {"case a\nA sphere 1 at 1 2 3 4\n", 21, "t:2: expected the end of the line after the body, found '4'"},
    {"case a\nA sphere 1\nB sphere 1\nexpect depth 1\n", 8,
     "t:4: expected 'distance' or 'relation' after 'expect', found 'depth'"},
    {"case a\nA sphere 1\nB sphere 1\nexpect relation near\n", 17,
     "t:4: expected disjoint, touching or overlapping, found 'near'"},
    {"case a\nA sphere 1\nB sphere 1\nexpect distance far\n", 17, "t:4: expected the expected distance, found 'far'"},
};

START_TEST(case_errors_name_the_place)
{
    const bad_file *bad = &bad_cases[_i];
    apart_case_file *file = open_cases(bad->text);
    apart_case c;
    int found;
    apart_io_error error = {.message = ""};
    ck_assert_int_eq(apart_case_next(file, &c, &found, &error), APART_ERR_SYNTAX);
    ck_assert_str_eq(error.message, bad->message);
    ck_assert_uint_eq(error.column, bad->column);
    memset(&error, 0, sizeof error);
    ck_assert_int_eq(apart_case_next(file, &c, &found, &error), APART_ERR_SYNTAX);
    ck_assert_str_eq(error.message, bad->message);
    ck_assert(!found);
    apart_case_close(file);
}
END_TEST

START_TEST(case_shapes_are_checked)
{
    static const char *const texts[] = {"case a\nA sphere -1\n", "case a\nA sphere 1 quat 0 0 0 0\n"};
    static const apart_status statuses[] = {APART_ERR_NEGATIVE_SIZE, APART_ERR_QUATERNION};
    for (int i = 0; i < 2; i++) {
        apart_case_file *file = open_cases(texts[i]);
        apart_case c;
        int found;
        apart_io_error error;
        ck_assert_int_eq(apart_case_next(file, &c, &found, &error), APART_ERR_SYNTAX);
        ck_assert_uint_eq(error.line, 2);
        ck_assert_msg(strstr(error.message, apart_status_message(statuses[i])), "%s", error.message);
        apart_case_close(file);
    }
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *io_cases_suite(void)
{
    Suite *suite = suite_create("io_cases");
    TCase *numbers = tcase_create("numbers");
    tcase_add_test(numbers, numbers_are_exact);
    tcase_add_test(numbers, numbers_round_at_any_length);
    tcase_add_test(numbers, other_words_are_no_numbers);
    tcase_add_test(numbers, numbers_survive_writing);
    tcase_add_test(numbers, the_locale_does_not_matter);
    suite_add_tcase(suite, numbers);

    TCase *cases = tcase_create("cases");
    tcase_add_test(cases, cases_of_both_kinds);
    tcase_add_test(cases, cases_with_every_primitive);
    tcase_add_loop_test(cases, case_errors_name_the_place, 0, COUNT(bad_cases));
    tcase_add_test(cases, case_shapes_are_checked);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(io_cases_suite());
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
