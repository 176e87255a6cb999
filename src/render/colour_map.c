#include "render/colour_map.h"

#include <stdio.h>
#include <string.h>

/* sRGB stops of a map whose lightness grows evenly. */
static const unsigned char stops[][3] = {
    {68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
    {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37},
};
enum { STOPS = sizeof stops / sizeof stops[0] };

static OozeF3 stop_at(float share)
{
    float at = clampf(share, 0.0f, 1.0f) * (STOPS - 1);
    int i = (int)at;
    i = i > STOPS - 2 ? STOPS - 2 : i;
    OozeF3 a = f3(stops[i][0], stops[i][1], stops[i][2]);
    OozeF3 b = f3(stops[i + 1][0], stops[i + 1][1], stops[i + 1][2]);
    return f3_scale(f3_mix(a, b, at - (float)i), 1.0f / 255.0f);
}

static float linear_of(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

OozeF3 ooze_colour_map(float share)
{
    OozeF3 c = stop_at(isnan(share) ? 0.0f : share);
    return f3(linear_of(c.x), linear_of(c.y), linear_of(c.z));
}

/* ---- the legend ------------------------------------------------------------------------------ */

static void put(unsigned char *pixels, uint32_t width, uint32_t height, int x, int y,
                const unsigned char rgb[3])
{
    if (x >= 0 && y >= 0 && (uint32_t)x < width && (uint32_t)y < height) {
        memcpy(pixels + 3 * ((size_t)y * width + (size_t)x), rgb, 3);
    }
}

void ooze_draw_text(unsigned char *pixels, uint32_t width, uint32_t height, int x, int y, int dot,
                    const unsigned char rgb[3], const char *text)
{
    for (; *text; text++, x += 6 * dot) {
        const unsigned char *rows = ooze_glyph(*text);
        for (int j = 0; rows && j < 7 * dot; j++) {
            for (int i = 0; i < 5 * dot; i++) {
                if (rows[j / dot] >> (4 - i / dot) & 1) {
                    put(pixels, width, height, x + i, y + j, rgb);
                }
            }
        }
    }
}

int ooze_text_width(const char *text, int dot)
{
    return (int)strlen(text) * 6 * dot;
}

static void darken(unsigned char *pixels, uint32_t width, uint32_t height, int x0, int y0, int x1,
                   int y1)
{
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            if (x >= 0 && y >= 0 && (uint32_t)x < width && (uint32_t)y < height) {
                unsigned char *p = pixels + 3 * ((size_t)y * width + (size_t)x);
                for (int k = 0; k < 3; k++) {
                    p[k] = (unsigned char)(p[k] / 4 + 16);
                }
            }
        }
    }
}

void ooze_draw_legend(unsigned char *pixels, uint32_t width, uint32_t height, const char *name,
                      const char *unit, double low, double high)
{
    static const unsigned char white[3] = {240, 240, 240};
    int dot = height >= 1000 ? 3 : height >= 480 ? 2 : 1;
    int bar = 10 * dot, tall = (int)height * 45 / 100, gap = 4 * dot;
    char title[64], labels[3][32];
    snprintf(title, sizeof title, unit[0] ? "%.40s [%.16s]" : "%.40s%.16s", name, unit);
    int text = ooze_text_width(title, dot);
    for (int i = 0; i < 3; i++) {
        snprintf(labels[i], sizeof labels[i], "%.3g", high + (low - high) * 0.5 * i);
        int wide = bar + gap + ooze_text_width(labels[i], dot);
        text = wide > text ? wide : text;
    }
    int x = (int)width - text - 3 * gap, y = 3 * gap;
    darken(pixels, width, height, x - gap, y - gap, (int)width - gap, y + 9 * dot + tall + 2 * gap);
    ooze_draw_text(pixels, width, height, x, y, dot, white, title);
    y += 7 * dot + 2 * gap;
    for (int j = 0; j < tall; j++) {
        OozeF3 c = stop_at(1.0f - (float)j / (float)(tall > 1 ? tall - 1 : 1));
        unsigned char rgb[3] = {(unsigned char)(c.x * 255.0f + 0.5f),
                                (unsigned char)(c.y * 255.0f + 0.5f),
                                (unsigned char)(c.z * 255.0f + 0.5f)};
        for (int i = 0; i < bar; i++) {
            put(pixels, width, height, x + i, y + j, rgb);
        }
    }
    for (int i = 0; i < 3; i++) {
        int at = y + (tall - 7 * dot) * i / 2;
        ooze_draw_text(pixels, width, height, x + bar + gap, at, dot, white, labels[i]);
    }
}
