#include "mesh/scan.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* Skips one line end: LF, CR or CR LF. */
static void skip_line_end(OozeScan *scan)
{
    if (scan->at < scan->end && *scan->at == '\r') {
        scan->at++;
        if (scan->at < scan->end && *scan->at == '\n') {
            scan->at++;
        }
    } else if (scan->at < scan->end) {
        scan->at++;
    }
    scan->line++;
}

static bool joins_next_line(const OozeScan *scan)
{
    return scan->continuations && *scan->at == '\\' &&
           (scan->at + 1 == scan->end || ends_line(scan->at[1]));
}

bool ooze_scan_in_line(OozeScan *scan, OozeToken *token)
{
    while (scan->at < scan->end) {
        if (is_blank(*scan->at)) {
            scan->at++;
        } else if (joins_next_line(scan)) {
            scan->at++;
            skip_line_end(scan);
        } else {
            break;
        }
    }
    if (scan->comment && scan->at < scan->end && *scan->at == scan->comment) {
        while (scan->at < scan->end && !ends_line(*scan->at)) {
            scan->at++;
        }
    }
    token->text = scan->at;
    token->line = scan->line;
    while (scan->at < scan->end && !is_blank(*scan->at) && !ends_line(*scan->at) &&
           !joins_next_line(scan)) {
        scan->at++;
    }
    token->length = (size_t)(scan->at - token->text);
    return token->length > 0;
}

void ooze_scan_next_line(OozeScan *scan)
{
    OozeToken token;
    while (ooze_scan_in_line(scan, &token)) {
    }
    skip_line_end(scan);
}

bool ooze_scan_token(OozeScan *scan, OozeToken *token)
{
    while (!ooze_scan_in_line(scan, token)) {
        if (scan->at >= scan->end) {
            return false;
        }
        skip_line_end(scan);
    }
    return true;
}

bool ooze_token_is(const OozeToken *token, const char *word)
{
    size_t i = 0;
    for (; i < token->length && word[i]; i++) {
        char c = token->text[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i]) {
            return false;
        }
    }
    return i == token->length && !word[i];
}

/* mantissa * 10^power; exact: no digit of the mantissa was dropped. */
typedef struct Decimal {
    uint64_t mantissa;
    int power;
    bool negative, exact;
} Decimal;

static const char *read_digits(const char *at, const char *end, Decimal *number, int *count,
                               bool fraction)
{
    for (; at < end && *at >= '0' && *at <= '9'; at++, ++*count) {
        if (number->mantissa < UINT64_MAX / 10 - 9) {
            number->mantissa = 10 * number->mantissa + (uint64_t)(*at - '0');
            number->power -= fraction;
        } else {
            number->exact = false;
        }
    }
    return at;
}

static bool read_decimal(const OozeToken *token, Decimal *number)
{
    const char *at = token->text, *end = at + token->length;
    *number = (Decimal){.exact = true};
    if (at < end && (*at == '-' || *at == '+')) {
        number->negative = *at++ == '-';
    }
    int digits = 0;
    at = read_digits(at, end, number, &digits, false);
    if (at < end && *at == '.') {
        at = read_digits(at + 1, end, number, &digits, true);
    }
    if (digits == 0) {
        return false;
    }
    if (at < end && (*at == 'e' || *at == 'E' || *at == 'd' || *at == 'D')) {
        bool negative = false;
        at++;
        if (at < end && (*at == '-' || *at == '+')) {
            negative = *at++ == '-';
        }
        int power = 0;
        const char *first = at;
        for (; at < end && *at >= '0' && *at <= '9'; at++) {
            power = power < 100000 ? 10 * power + (*at - '0') : power;
        }
        if (at == first) {
            return false;
        }
        number->power += negative ? -power : power;
    }
    return at == end;
}

/* Long numbers: rounded correctly by the C library in the C locale. */
static double parse_with_strtod(const OozeToken *token)
{
    char text[128];
    if (token->length >= sizeof text) {
        return NAN;
    }
    for (size_t i = 0; i < token->length; i++) {
        char c = token->text[i];
        text[i] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[token->length] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return NAN;
    }
    double value = strtod_l(text, NULL, plain);
    freelocale(plain);
    return value;
}

bool ooze_token_number(const OozeToken *token, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    Decimal decimal;
    if (!read_decimal(token, &decimal)) {
        return false;
    }
    if (decimal.exact && decimal.mantissa <= 1ull << 53 && abs(decimal.power) <= 22) {
        /* Both factors are exact doubles, so that one rounding remains. */
        double value = (double)decimal.mantissa;
        value = decimal.power < 0 ? value / powers[-decimal.power] : value * powers[decimal.power];
        *number = decimal.negative ? -value : value;
        return true;
    }
    *number = parse_with_strtod(token);
    return isfinite(*number);
}

bool ooze_token_integer(const OozeToken *token, int64_t *number)
{
    size_t i = 0;
    bool negative = false;
    if (token->length > 0 && (token->text[0] == '-' || token->text[0] == '+')) {
        negative = token->text[0] == '-';
        i = 1;
    }
    if (i == token->length || token->length - i > 18) {
        return false;
    }
    int64_t value = 0;
    for (; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '9') {
            return false;
        }
        value = 10 * value + (token->text[i] - '0');
    }
    *number = negative ? -value : value;
    return true;
}

OozeTokenText ooze_token_text(const OozeToken *token)
{
    OozeTokenText result;
    size_t kept = token->length < 40 ? token->length : 40;
    for (size_t i = 0; i < kept; i++) {
        char c = token->text[i];
        result.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    result.text[kept] = '\0';
    if (token->length > kept) {
        memcpy(result.text + kept, "...", 4);
    }
    return result;
}
