#include "plot/font.h"

#include <stdlib.h>

/* Capitals and digits are 14 units high, small letters 10, tails go 4 down. A path knows M (move), L
   (line) and Q (curve, control point first); strokes have their own width, so this is the middle line. */
enum { EM = 19, CURVE_PIECES = 8, POINTS_MAX = 96 };
static const double side = 1.7; /* free on either side of a character */

typedef struct Glyph {
    uint32_t code;
    double width;
    const char *path;
} Glyph;

static const Glyph glyphs[] = {
    {' ', 2.4, ""},
    {'!', 0.4, "M0 14L0 4.4M0 0L0 .2"},
    {'"', 3, "M0 14L0 10M3 14L3 10"},
    {'#', 10, "M2.6 0L4 14M6.6 0L8 14M.6 4.4L9 4.4M1.2 9.6L9.6 9.6"},
    {'$', 8.6,
     "M8 9.8Q7.4 12.6 4.3 12.6Q.6 12.6.6 9.9Q.6 7.8 4.3 7Q8.6 6 8.6 3.9Q8.6 1.2 4.4 1.2Q.5 1.2 0 "
     "4.4M4.4 15L4.4 -1"},
    {'%', 14,
     "M0 11Q0 14 2.2 14Q4.4 14 4.4 11Q4.4 8 2.2 8Q0 8 0 11M11 14L3 0M9.6 3Q9.6 6 11.8 6Q14 6 14 "
     "3Q14 0 11.8 0Q9.6 0 9.6 3"},
    {'&', 9.6,
     "M9.6 0L2.6 9.2Q1.6 10.6 1.6 11.6Q1.6 14 4.2 14Q6.8 14 6.8 11.6Q6.8 9.6 3.6 7.8Q0 6 0 3.4Q0 0 "
     "4 0Q8.4 0 9 6"},
    {'\'', 0.4, "M0 14L0 10"},
    {'(', 3, "M3 15.5Q0 11 0 6Q0 1 3 -3.5"},
    {')', 3, "M0 15.5Q3 11 3 6Q3 1 0 -3.5"},
    {'*', 6, "M3 14L3 8M.4 12.5L5.6 9.5M.4 9.5L5.6 12.5"},
    {'+', 9, "M4.5 1L4.5 10M0 5.5L9 5.5"},
    {',', 1, "M1 .4L.2 -2.6"},
    {'-', 4, "M0 5.2L4 5.2"},
    {'.', 0.8, "M.4 0L.4 .2"},
    {'/', 5, "M0 -1L5 14.6"},
    {'0', 8, "M0 4.5L0 9.5Q0 14 4 14Q8 14 8 9.5L8 4.5Q8 0 4 0Q0 0 0 4.5"},
    {'1', 8, "M1 11L4.6 14L4.6 0"},
    {'2', 8, "M.3 10.5Q.5 14 4 14Q7.7 14 7.7 10.5Q7.7 8.5 5.6 6.2L0 0L8 0"},
    {'3', 8,
     "M.5 11Q.8 14 4 14Q7.5 14 7.5 10.8Q7.5 7.6 4 7.6L3 7.6M4 7.6Q8 7.6 8 3.9Q8 0 4 0Q.3 0 0 3.3"},
    {'4', 8, "M6.2 0L6.2 14L0 4L8.4 4"},
    {'5', 8, "M7.2 14L1.2 14L.6 7.6Q2 9 4.2 9Q8 9 8 4.6Q8 0 3.9 0Q.4 0 0 3"},
    {'6', 8, "M7.4 11.2Q6.8 14 4.2 14Q0 14 0 6.5Q0 0 4 0Q8 0 8 4.4Q8 8.6 4.2 8.6Q.8 8.6 0 5.4"},
    {'7', 8, "M0 14L8 14L3 0"},
    {'8', 8,
     "M4 7.5Q.6 7.5.6 10.8Q.6 14 4 14Q7.4 14 7.4 10.8Q7.4 7.5 4 7.5Q0 7.5 0 3.8Q0 0 4 0Q8 0 8 "
     "3.8Q8 7.5 4 7.5"},
    {'9', 8, "M.6 2.8Q1.2 0 3.8 0Q8 0 8 7.5Q8 14 4 14Q0 14 0 9.6Q0 5.4 3.8 5.4Q7.2 5.4 8 8.6"},
    {':', 0.4, "M0 0L0 .2M0 9L0 9.2"},
    {';', 1, "M.6 9L.6 9.2M1 .4L.2 -2.6"},
    {'<', 8.6, "M8.6 10L0 5.5L8.6 1"},
    {'=', 9, "M0 7.4L9 7.4M0 3.6L9 3.6"},
    {'>', 8.6, "M0 10L8.6 5.5L0 1"},
    {'?', 7, "M0 10.8Q.2 14 3.6 14Q7 14 7 11Q7 9.2 5 7.8Q3.6 6.8 3.6 4.6M3.6 0L3.6 .2"},
    {'@', 15,
     "M11 8Q10.4 10 7.6 10Q4 10 4 6Q4 2.6 7 2.6Q11 2.6 11 7L11 4.6Q11 2.6 12.8 2.6Q15 2.6 15 7Q15 "
     "14 7.6 14Q0 14 0 6Q0 -2.6 7.6 -2.6Q10 -2.6 12 -1.6"},
    {'A', 10, "M0 0L5 14L10 0M1.8 5L8.2 5"},
    {'B', 8.6,
     "M0 0L0 14L4.5 14Q8 14 8 10.8Q8 7.5 4.5 7.5L0 7.5M4.5 7.5Q8.6 7.5 8.6 3.8Q8.6 0 4.5 0L0 0"},
    {'C', 9.5, "M9.3 10.2Q8.6 14 5 14Q0 14 0 7Q0 0 5 0Q8.8 0 9.5 4.2"},
    {'D', 9.6, "M0 0L0 14L4 14Q9.6 14 9.6 7Q9.6 0 4 0L0 0"},
    {'E', 8, "M8 0L0 0L0 14L7.8 14M0 7.3L7 7.3"},
    {'F', 7.6, "M0 0L0 14L7.6 14M0 7L6.6 7"},
    {'G', 10, "M9.6 10.4Q8.8 14 5.1 14Q0 14 0 7Q0 0 5.2 0Q10 0 10 5.5L10 6.6L5.4 6.6"},
    {'H', 9.2, "M0 0L0 14M9.2 0L9.2 14M0 7.3L9.2 7.3"},
    {'I', 0.4, "M.2 0L.2 14"},
    {'J', 6.4, "M6.4 14L6.4 4Q6.4 0 3.2 0Q0 0 0 4"},
    {'K', 9, "M0 0L0 14M8.6 14L0 5M3.2 8.4L9 0"},
    {'L', 7.2, "M0 14L0 0L7.2 0"},
    {'M', 11, "M0 0L0 14L5.5 2L11 14L11 0"},
    {'N', 9.2, "M0 0L0 14L9.2 0L9.2 14"},
    {'O', 10.8, "M0 7Q0 14 5.4 14Q10.8 14 10.8 7Q10.8 0 5.4 0Q0 0 0 7"},
    {'P', 8.6, "M0 0L0 14L4.6 14Q8.6 14 8.6 10.2Q8.6 6.4 4.6 6.4L0 6.4"},
    {'Q', 10.8, "M0 7Q0 14 5.4 14Q10.8 14 10.8 7Q10.8 0 5.4 0Q0 0 0 7M6.8 3.4L10.8 -.8"},
    {'R', 8.8, "M0 0L0 14L4.6 14Q8.6 14 8.6 10.2Q8.6 6.4 4.6 6.4L0 6.4M5 6.4L8.8 0"},
    {'S', 8.8,
     "M8.2 10.6Q7.6 14 4.3 14Q.5 14 .5 10.6Q.5 8.2 4.3 7.3Q8.8 6.3 8.8 3.6Q8.8 0 4.4 0Q.4 0 0 3.8"},
    {'T', 9.4, "M0 14L9.4 14M4.7 14L4.7 0"},
    {'U', 9.2, "M0 14L0 5Q0 0 4.6 0Q9.2 0 9.2 5L9.2 14"},
    {'V', 10, "M0 14L5 0L10 14"},
    {'W', 14, "M0 14L3.4 0L7 12.5L10.6 0L14 14"},
    {'X', 9.4, "M0 0L9.4 14M0 14L9.4 0"},
    {'Y', 9.6, "M0 14L4.8 7L9.6 14M4.8 7L4.8 0"},
    {'Z', 9.2, "M.3 14L9 14L0 0L9.2 0"},
    {'[', 3, "M3 15L0 15L0 -3L3 -3"},
    {'\\', 5, "M0 14.6L5 -1"},
    {']', 3, "M0 15L3 15L3 -3L0 -3"},
    {'^', 7, "M0 8L3.5 14L7 8"},
    {'_', 9, "M0 -2.4L9 -2.4"},
    {'`', 2.4, "M0 14L2.4 11.6"},
    {'a', 7.4,
     "M.4 7.8Q.9 10 3.8 10Q7 10 7 7L7 2Q7 0 8 .1M7 5.8Q6 5.6 3.6 5.4Q0 5 0 2.6Q0 0 3 0Q7 0 7 4"},
    {'b', 8, "M0 14L0 0M0 5Q0 10 4 10Q8 10 8 5Q8 0 4 0Q0 0 0 5"},
    {'c', 7.2, "M7.2 7.2Q6.6 10 4 10Q0 10 0 5Q0 0 4 0Q6.8 0 7.3 3.1"},
    {'d', 8, "M8 14L8 0M8 5Q8 10 4 10Q0 10 0 5Q0 0 4 0Q8 0 8 5"},
    {'e', 7.8, "M0 5.2L7.8 5.2Q7.8 10 4 10Q0 10 0 5Q0 0 4 0Q6.9 0 7.6 2.6"},
    {'f', 4, "M4.6 13.8Q1.9 14.4 1.9 11.4L1.9 0M0 9.8L4.2 9.8"},
    {'g', 8, "M8 10L8 0Q8 -4 4 -4Q.8 -4 .3 -1.8M8 5Q8 10 4 10Q0 10 0 5Q0 .2 4 .2Q8 .2 8 5"},
    {'h', 7.4, "M0 0L0 14M0 5.5Q0 10 3.9 10Q7.4 10 7.4 6L7.4 0"},
    {'i', 0.2, "M.1 0L.1 10M.1 13.6L.1 13.8"},
    {'j', 1.8, "M1.6 10L1.6 -1.6Q1.6 -4.2 -.6 -4M1.6 13.6L1.6 13.8"},
    {'k', 7, "M0 0L0 14M6.6 10L0 3.6M2.6 6L7.2 0"},
    {'l', 0.2, "M.1 0L.1 14"},
    {'m', 12, "M0 0L0 10M0 5.5Q0 10 3.2 10Q6 10 6 6.4L6 0M6 5.5Q6 10 9.2 10Q12 10 12 6.4L12 0"},
    {'n', 7.4, "M0 0L0 10M0 5.5Q0 10 3.9 10Q7.4 10 7.4 6L7.4 0"},
    {'o', 8, "M0 5Q0 10 4 10Q8 10 8 5Q8 0 4 0Q0 0 0 5"},
    {'p', 8, "M0 10L0 -4M0 5Q0 10 4 10Q8 10 8 5Q8 0 4 0Q0 0 0 5"},
    {'q', 8, "M8 10L8 -4M8 5Q8 10 4 10Q0 10 0 5Q0 0 4 0Q8 0 8 5"},
    {'r', 4.2, "M0 0L0 10M0 5.5Q0 9.9 4.4 9.8"},
    {'s', 6.8,
     "M6.4 7.6Q5.9 10 3.4 10Q.4 10 .4 7.5Q.4 5.8 3.4 5.2Q6.9 4.5 6.9 2.5Q6.9 0 3.5 0Q.3 0 0 2.6"},
    {'t', 4.2, "M1.8 13L1.8 2.6Q1.8 -.3 4.4 .1M0 9.8L4.2 9.8"},
    {'u', 7.4, "M0 10L0 4Q0 0 3.6 0Q7.4 0 7.4 4.5M7.4 10L7.4 0"},
    {'v', 7.4, "M0 10L3.7 0L7.4 10"},
    {'w', 11, "M0 10L2.7 0L5.5 9L8.3 0L11 10"},
    {'x', 7, "M0 0L7 10M0 10L7 0"},
    {'y', 7.6, "M0 10L3.9 0M7.6 10L3.3 -2.4Q2.6 -4.2 .6 -4"},
    {'z', 7, "M.2 10L6.8 10L0 0L7 0"},
    {'{', 3.6, "M3.6 15Q1.6 15 1.6 12.6L1.6 8.4Q1.6 6 0 6Q1.6 6 1.6 3.6L1.6 -.6Q1.6 -3 3.6 -3"},
    {'|', 0.2, "M.1 15L.1 -3"},
    {'}', 3.6, "M0 15Q2 15 2 12.6L2 8.4Q2 6 3.6 6Q2 6 2 3.6L2 -.6Q2 -3 0 -3"},
    {'~', 9.4, "M0 4.6Q.4 7 2.6 6.6Q4 6.3 5 5.4Q6.4 4.4 7.6 4.4Q9 4.6 9.4 6.6"},
    {0xa0, 0, ""}, /* between thousands */
    {0xb0, 4.4, "M0 11.8Q0 14 2.2 14Q4.4 14 4.4 11.8Q4.4 9.6 2.2 9.6Q0 9.6 0 11.8"}, /* degree */
    {0xb5, 7.4, "M0 10L0 -4M0 4Q0 0 3.6 0Q7.4 0 7.4 4.5M7.4 10L7.4 0"},              /* micro */
    {0xb7, 0.4, "M.2 5.4L.2 5.6"},                                        /* middle dot */
    {0xd7, 8, "M0 1.5L8 9.5M0 9.5L8 1.5"},                                /* times */
    {0x394, 10, "M0 0L5 14L10 0L0 0"},                                    /* Delta */
    {0x3b1, 8.2, "M7.8 10Q6.4 0 3.2 0Q0 0 0 5Q0 10 3.2 10Q6.6 10 8.4 0"}, /* alpha */
    {0x3b3, 7, "M0 10Q2 10 3.6 2L7 10M3.6 2L3.4 -4"},                     /* gamma */
    {0x3b7, 7.4, "M0 0L0 10M0 5.5Q0 10 3.9 10Q7.4 10 7.4 6L7.4 -4"},      /* eta */
    {0x3bb, 7.4, "M0 14Q2 14 3 11L7.4 0M4 8.4L0 0"},                      /* lambda */
    {0x3bc, 7.4, "M0 10L0 -4M0 4Q0 0 3.6 0Q7.4 0 7.4 4.5M7.4 10L7.4 0"},  /* mu */
    {0x3c0, 9, "M0 9.8L9 9.8M2.2 9.8L2 0M6.8 9.8L7 0"},                   /* pi */
    {0x3c1, 8, "M0 -4L0 5Q0 10 4 10Q8 10 8 5Q8 0 4 0Q0 0 0 4.5"},         /* rho */
    {0x3c3, 8.8, "M8.8 10L4 10Q0 10 0 5Q0 0 4 0Q8 0 8 5Q8 8.6 5 10"},     /* sigma */
    {0x3c4, 7.4, "M0 10L7.4 10M3.7 10L3.7 2.4Q3.7 0 6 .2"},               /* tau */
    {0x2013, 9, "M0 5.2L9 5.2"},                                          /* en dash */
    {0x2014, 16, "M0 5.2L16 5.2"},                                        /* em dash */
    {0x2212, 8, "M0 5.5L8 5.5"},                                          /* minus */
};

/* What is not there: a box. */
static const Glyph missing = {0, 8, "M0 0L0 14L8 14L8 0L0 0"};

static const Glyph *find_glyph(uint32_t code)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++) {
        if (glyphs[i].code == code) {
            return &glyphs[i];
        }
    }
    return &missing;
}

uint32_t ooze_utf8_next(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    if (c[0] == 0) {
        return 0;
    }
    int more = c[0] < 0x80   ? 0
               : c[0] < 0xc2 ? -1
               : c[0] < 0xe0 ? 1
               : c[0] < 0xf0 ? 2
               : c[0] < 0xf5 ? 3
                             : -1;
    uint32_t code = more <= 0 ? c[0] : c[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            more = -1;
            break;
        }
        code = code << 6 | (c[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    bool good =
        more >= 0 && code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    *text += good ? more + 1 : 1;
    return good ? code : '?';
}

typedef struct Placed {
    const Glyph *glyph;
    double scale; /* of the glyph; raised ones are smaller */
    double rise;  /* units */
} Placed;

static Placed place(uint32_t code)
{
    static const uint32_t raised[] = {0x2070, 0xb9,   0xb2,   0xb3,   0x2074,
                                      0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    for (uint32_t i = 0; i < 10; i++) {
        if (code == raised[i]) {
            return (Placed){find_glyph('0' + i), 0.64, 7};
        }
    }
    if (code == 0x207b) {
        return (Placed){find_glyph('-'), 0.8, 6};
    }
    return (Placed){find_glyph(code), 1, 0};
}

static double advance_of(const Placed *placed)
{
    return (placed->glyph->width + 2 * side) * placed->scale;
}

double ooze_font_width(const char *text, double size)
{
    double width = 0;
    for (uint32_t code; (code = ooze_utf8_next(&text));) {
        Placed placed = place(code);
        width += advance_of(&placed);
    }
    return width * size / EM;
}

typedef struct Pen {
    OozePoint origin;
    double unit; /* pixels a unit */
    OozePoint points[POINTS_MAX];
    size_t count;
} Pen;

static OozePoint read_point(const char **path)
{
    char *end;
    double x = strtod(*path, &end), y = strtod(end, &end);
    *path = end;
    return (OozePoint){x, y};
}

static void put_point(Pen *pen, OozePoint p)
{
    if (pen->count < POINTS_MAX) {
        pen->points[pen->count++] =
            (OozePoint){pen->origin.x + p.x * pen->unit, pen->origin.y - p.y * pen->unit};
    }
}

static void draw_glyph(Pen *pen, const char *path, OozeFontTake take, void *context)
{
    OozePoint from = {0, 0};
    pen->count = 0;
    while (*path) {
        char command = *path++;
        OozePoint to = read_point(&path);
        if (command == 'M') {
            if (pen->count > 0) {
                take(context, pen->points, pen->count);
            }
            pen->count = 0;
            put_point(pen, to);
        } else if (command == 'L') {
            put_point(pen, to);
        } else {
            OozePoint bend = to;
            to = read_point(&path);
            for (int i = 1; i <= CURVE_PIECES; i++) {
                double t = (double)i / CURVE_PIECES, s = 1 - t;
                put_point(pen, (OozePoint){s * s * from.x + 2 * s * t * bend.x + t * t * to.x,
                                           s * s * from.y + 2 * s * t * bend.y + t * t * to.y});
            }
        }
        from = to;
    }
    if (pen->count > 0) {
        take(context, pen->points, pen->count);
    }
}

void ooze_font_draw(const char *text, double size, OozePoint at, OozeFontTake take, void *context)
{
    Pen pen;
    for (uint32_t code; (code = ooze_utf8_next(&text));) {
        Placed placed = place(code);
        pen.unit = size / EM * placed.scale;
        pen.origin = (OozePoint){at.x + side * pen.unit, at.y - placed.rise * size / EM};
        draw_glyph(&pen, placed.glyph->path, take, context);
        at.x += advance_of(&placed) * size / EM;
    }
}
