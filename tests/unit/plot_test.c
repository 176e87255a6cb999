#include "check.h"

#include "base/file.h"
#include "base/memory.h"
#include "plot/compose.h"
#include "plot/curve.h"
#include "unit/fontconfig_leaks.h"
#include "unit/scratch_folder.h"

/* ---- axes ----------------------------------------------------------------------------------- */

static void steps_are_one_two_five(void **state)
{
    (void)state;
    const double cases[][2] = {{1, 1},   {1.99, 1}, {2, 2},       {4.9, 2},  {5, 5},
                               {9.9, 5}, {10, 10},  {0.03, 0.02}, {700, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_NEAR(ooze_axis_step_below(cases[i][0]), cases[i][1], cases[i][1] * 1e-12);
    }
    CHECK_NEAR(ooze_axis_step_below(1e-3), 1e-3, 1e-15);
    CHECK_NEAR(ooze_axis_step_below(0.1 + 0.2 - 0.1), 0.2, 1e-15); /* below 0.2 by rounding */
}

static OozeAxisScale axis_of(double low, double high, bool logarithmic, int ticks)
{
    return ooze_axis_make((OozeRange){low, high}, logarithmic, ticks);
}

/* Ticks are whole multiples of the step, all of those within the axis, two at least, and not more
   than wanted except to have those two. */
static void ticks_fall_on_round_numbers(void **state)
{
    (void)state;
    for (int k = 0; k < 400; k++) {
        double low = (k % 20 - 10) * 0.37, high = low + pow(10, k / 50.0 - 4);
        int wanted = 2 + k % 9;
        OozeAxisScale axis = axis_of(low, high, false, wanted);
        assert_in_range(axis.tick_count, 2, (uintmax_t)(wanted < 5 ? 6 : wanted + 1));
        double first = ceil((low - axis.step * 1e-6) / axis.step);
        for (int i = 0; i < axis.tick_count; i++) {
            CHECK_NEAR(axis.ticks[i], (first + i) * axis.step, axis.step * 1e-6);
            assert_true(axis.ticks[i] >= low - axis.step * 1e-5);
            assert_true(axis.ticks[i] <= high + axis.step * 1e-5);
        }
        assert_true(axis.ticks[axis.tick_count - 1] + axis.step > high - axis.step * 1e-5);
    }
}

static void check_label(OozeAxisScale axis, double tick, const char *expected)
{
    char label[OOZE_LABEL_MAX];
    ooze_axis_label(&axis, tick, label);
    assert_string_equal(label, expected);
}

static void labels_have_scaled_numbers(void **state)
{
    (void)state;
    check_label(axis_of(0, 2, false, 8), 0.4, "0.4");
    check_label(axis_of(0, 2, false, 8), 0, "0");
    check_label(axis_of(-3, 2, false, 5), -2, "−2");
    check_label(axis_of(0, 60000, false, 6), 20000,
                "20\xc2\xa0"
                "000");
    check_label(axis_of(0, 0.05, false, 5), 0.02, "20"); /* mm */
    check_label(axis_of(0, 3e7, false, 3), 2e7, "20");
    check_label(axis_of(1e-6, 10, true, 8), 1e-4, "10⁻⁴");
    check_label(axis_of(1e-6, 10, true, 8), 0.1, "10⁻¹"); /* all powers or none */
    check_label(axis_of(0.01, 10, true, 8), 0.1, "0.1");
    check_label(axis_of(2000, 90000, true, 8), 50000,
                "50\xc2\xa0"
                "000");
    check_label(axis_of(2e5, 9e6, true, 8), 5e5, "5×10⁵");
}

static void check_title(double high, const char *unit, const char *expected)
{
    char title[64];
    OozeAxisScale axis = axis_of(0, high, false, 5);
    ooze_axis_title(&axis, "h", unit, title, sizeof title);
    assert_string_equal(title, expected);
}

static void titles_contain_the_unit(void **state)
{
    (void)state;
    check_title(1, "m", "h (m)");
    check_title(0.02, "m", "h (mm)");
    check_title(3e7, "Pa", "h (MPa)");
    check_title(1, "kg m2/s", "h (kg m²/s)");
    check_title(1e-4, "kg m/s", "h (10⁻⁶ kg m/s)");
    check_title(1, "degC", "h (°C)");
    check_title(1, "", "h");
    check_title(3e7, "", "h (10⁶)");
}

/* Labels of a range that is small beside its values differ from each other. */
static void labels_differ(void **state)
{
    (void)state;
    const double ranges[][2] = {{1150, 1151}, {1150.001, 1150.002}, {-3e6, -2.999e6}, {0, 1e-7}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        OozeAxisScale axis = axis_of(ranges[k][0], ranges[k][1], false, 5);
        assert_in_range(axis.tick_count, 2, 7);
        char last[OOZE_LABEL_MAX] = "", label[OOZE_LABEL_MAX];
        for (int i = 0; i < axis.tick_count; i++) {
            ooze_axis_label(&axis, axis.ticks[i], label);
            assert_string_not_equal(label, last);
            memcpy(last, label, sizeof last);
        }
    }
}

/* 0.01 to 100: labels at the five powers of ten, minor ticks at the eight multiples between two. */
static void logarithmic_axes_have_minor_ticks(void **state)
{
    (void)state;
    OozeAxisScale axis = axis_of(0.01, 100, true, 8);
    assert_int_equal(axis.tick_count, 5);
    assert_int_equal(axis.minor_count, 4 * 8);
    CHECK_NEAR(axis.minor_ticks[0], 0.02, 1e-12);
    axis = axis_of(130, 800, true, 8); /* less than a decade: 200, 300, 500, 700 */
    assert_int_equal(axis.tick_count, 4);
    CHECK_NEAR(axis.ticks[3], 700, 1e-9);
}

static void axes_are_padded_and_include_zero(void **state)
{
    (void)state;
    OozeRange ends = ooze_axis_extend((OozeRange){0.3, 1}, false, false);
    CHECK_NEAR(ends.low, 0, 0); /* 0.3 is less than half the range from zero */
    CHECK_NEAR(ends.high, 1 + 0.06 * 0.7, 1e-12);
    ends = ooze_axis_extend((OozeRange){5, 6}, false, false);
    CHECK_NEAR(ends.low, 5 - 0.06, 1e-12);
    ends = ooze_axis_extend((OozeRange){-6, -0.1}, false, false);
    CHECK_NEAR(ends.high, 0, 0);
    for (int value = 0; value <= 2; value += 2) { /* a single value is in the middle */
        ends = ooze_axis_extend((OozeRange){value, value}, false, false);
        CHECK_NEAR(ends.low + ends.high, 2 * value, 1e-12);
        assert_true(ends.low < ends.high);
    }
    OozeAxisScale axis = axis_of(1, 10000, true, 5);
    CHECK_NEAR(ooze_axis_position(&axis, 100), 0.5, 1e-12);
    assert_true(isnan(ooze_axis_position(&axis, 0)));
    assert_true(isnan(ooze_axis_position(&axis, -1)));
}

/* ---- figures -------------------------------------------------------------------------------- */

static const double ramp_x[] = {0, 1, 2, 3, 4}, ramp_y[] = {0, 10, 20, 30, 40};
static const double gap_y[] = {1, NAN, 3, NAN, 5};

static OozeFigure figure_of(const OozePanel *panels, int panel_count, const OozeSeries *series,
                            int series_count)
{
    return (OozeFigure){.title = "Test",
                        .x_name = "time",
                        .x_unit = "s",
                        .width = 400,
                        .height = 300,
                        .x_low = NAN,
                        .x_high = NAN,
                        .y_low = NAN,
                        .y_high = NAN,
                        .panels = panels,
                        .panel_count = panel_count,
                        .series = series,
                        .series_count = series_count};
}

static unsigned char *white_pixels(const OozeDrawing *drawing)
{
    size_t bytes = (size_t)drawing->width * (size_t)drawing->height * 3;
    unsigned char *pixels = ooze_alloc(bytes, 1);
    memset(pixels, 255, bytes);
    return pixels;
}

/* The coloured line of the drawing goes through the pixels that the axes promise. */
static void points_are_at_their_pixels(void **state)
{
    (void)state;
    OozePanel panel = {"h", "m"};
    OozeSeries series = {"h", ramp_x, ramp_y, 5, 0, false};
    OozeFigure figure = figure_of(&panel, 1, &series, 1);
    figure.y_low = 0;
    figure.y_high = 40;
    OozeDrawing drawing;
    OozePlotArea area;
    CHECK_OK(ooze_figure_draw(&figure, &drawing, &area, &error));
    OozePoint p = ooze_plot_point(&area, 0, 0), q = ooze_plot_point(&area, 4, 40);
    CHECK_NEAR(p.x, area.left, 1e-9);
    CHECK_NEAR(p.y, area.bottom, 1e-9);
    CHECK_NEAR(q.x, area.right, 1e-9);
    CHECK_NEAR(q.y, area.top, 1e-9);
    OozePoint m = ooze_plot_point(&area, 1, 20); /* a quarter and a half of the way */
    CHECK_NEAR(m.x, area.left + (area.right - area.left) / 4, 1e-9);
    CHECK_NEAR(m.y, (area.top + area.bottom) / 2, 1e-9);
    const OozeDrawingItem *curve = NULL;
    for (size_t i = 0; i < drawing.item_count; i++) {
        if (drawing.items[i].kind == OOZE_ITEM_LINE && drawing.items[i].count == 5) {
            curve = &drawing.items[i];
        }
    }
    assert_non_null(curve);
    for (int i = 0; i < 5; i++) {
        OozePoint expected = ooze_plot_point(&area, ramp_x[i], ramp_y[i]);
        CHECK_NEAR(drawing.points[curve->first_point + (size_t)i].x, expected.x, 1e-9);
        CHECK_NEAR(drawing.points[curve->first_point + (size_t)i].y, expected.y, 1e-9);
    }
    /* On pixels: blue on the line (width 1.8, so its pixel is fully covered), nothing beside it. */
    unsigned char *pixels = white_pixels(&drawing);
    CHECK_OK(ooze_drawing_paint_over(&drawing, pixels, drawing.width, &error));
    OozePoint middle = ooze_plot_point(&area, 2.5, 25);
    const unsigned char *on = pixels + ((size_t)middle.y * 400 + (size_t)middle.x) * 3;
    assert_in_range(on[0], 0, 60);
    assert_in_range(on[2], 150, 200);
    const unsigned char *off = on - (size_t)8 * 400 * 3;
    assert_in_range(off[0], 0xe0, 255); /* background or grid */
    ooze_free(pixels);
    ooze_drawing_free(&drawing);
}

static size_t count_lines(const OozeDrawing *drawing, uint32_t color, size_t points)
{
    size_t count = 0;
    for (size_t i = 0; i < drawing->item_count; i++) {
        const OozeDrawingItem *item = &drawing->items[i];
        count += item->kind == OOZE_ITEM_LINE && item->color == color && item->count == points;
    }
    return count;
}

/* Readings at 0, 2 and 4 s with nan between: three dots and no line through what was not measured.
   */
static void gaps_break_the_line(void **state)
{
    (void)state;
    OozePanel panel = {"h", "m"};
    OozeSeries series = {"h", ramp_x, gap_y, 5, 0, false};
    OozeFigure figure = figure_of(&panel, 1, &series, 1);
    OozeDrawing drawing;
    CHECK_OK(ooze_figure_draw(&figure, &drawing, NULL, &error));
    assert_int_equal(count_lines(&drawing, 0x0072b2, 1), 3);
    assert_int_equal(count_lines(&drawing, 0x0072b2, 2), 0);
    ooze_drawing_free(&drawing);
}

/* Below 15 the ramp to 40 is above the axis: the line ends at the panel's edge, at 15/10 s. */
static void lines_end_at_the_panel(void **state)
{
    (void)state;
    OozePanel panel = {"h", "m"};
    OozeSeries series = {"h", ramp_x, ramp_y, 5, 0, false};
    OozeFigure figure = figure_of(&panel, 1, &series, 1);
    figure.y_low = 0;
    figure.y_high = 15;
    OozeDrawing drawing;
    OozePlotArea area;
    CHECK_OK(ooze_figure_draw(&figure, &drawing, &area, &error));
    assert_int_equal(count_lines(&drawing, 0x0072b2, 3), 1);
    for (size_t i = 0; i < drawing.item_count; i++) {
        const OozeDrawingItem *item = &drawing.items[i];
        if (item->kind == OOZE_ITEM_LINE && item->count == 3) {
            OozePoint end = drawing.points[item->first_point + 2];
            CHECK_NEAR(end.x, ooze_plot_point(&area, 1.5, 15).x, 1e-6);
            CHECK_NEAR(end.y, area.top, 1e-6);
        }
    }
    ooze_drawing_free(&drawing);
}

static void empty_and_cramped_figures_are_refused(void **state)
{
    (void)state;
    static const double nothing[] = {NAN, NAN, NAN, NAN, NAN}, negative[] = {-1, -2, -3, -4, -5};
    OozePanel panels[6] = {{"h", "m"}, {"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}, {"e", "s"}};
    OozeSeries series = {"h", ramp_x, nothing, 5, 0, false};
    OozeFigure figure = figure_of(panels, 1, &series, 1);
    OozeDrawing drawing;
    CHECK_FAILS(ooze_figure_draw(&figure, &drawing, NULL, &error), OOZE_ERROR_ARGUMENT,
                "'h' has no numbers");
    series.y = negative;
    figure.log_y = true;
    CHECK_FAILS(ooze_figure_draw(&figure, &drawing, NULL, &error), OOZE_ERROR_ARGUMENT,
                "'h' has no numbers");
    OozeSeries six[6];
    for (int i = 0; i < 6; i++) {
        six[i] = (OozeSeries){"s", ramp_x, ramp_y, 5, i, false};
    }
    figure = figure_of(panels, 6, six, 6);
    CHECK_FAILS(ooze_figure_draw(&figure, &drawing, NULL, &error), OOZE_ERROR_ARGUMENT,
                "do not fit into 400x300");
}

/* 100,000 points over 50 columns of pixels: the ends and extremes of every column stay. */
static void thinning_keeps_the_picture(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    OozePoint *points = ooze_alloc(COUNT, sizeof *points);
    double low[50], high[50];
    for (int c = 0; c < 50; c++) {
        low[c] = 1e9;
        high[c] = -1e9;
    }
    for (int i = 0; i < COUNT; i++) {
        points[i] = (OozePoint){i * 50.0 / COUNT, sin(i * 0.7) * (i % 977)};
        int c = (int)points[i].x;
        low[c] = fmin(low[c], points[i].y);
        high[c] = fmax(high[c], points[i].y);
    }
    OozePoint last = points[COUNT - 1];
    size_t kept = ooze_curve_thin(points, COUNT);
    assert_in_range(kept, 100, 200);
    CHECK_NEAR(points[kept - 1].x, last.x, 0);
    double kept_low[50], kept_high[50];
    for (int c = 0; c < 50; c++) {
        kept_low[c] = 1e9;
        kept_high[c] = -1e9;
    }
    for (size_t i = 0; i < kept; i++) {
        int c = (int)points[i].x;
        kept_low[c] = fmin(kept_low[c], points[i].y);
        kept_high[c] = fmax(kept_high[c], points[i].y);
    }
    assert_memory_equal(low, kept_low, sizeof low);
    assert_memory_equal(high, kept_high, sizeof high);
    ooze_free(points);
}

/* A black bar of 10 by 2 pixels, half a pixel aside, covers its area; half transparent, half of it.
   */
static void polygons_cover_their_area(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++) {
        OozeDrawing drawing = {.width = 32, .height = 16};
        OozePoint bar[] = {{8.5, 6.5}, {18.5, 6.5}, {18.5, 8.5}, {8.5, 8.5}};
        ooze_drawing_polygon(&drawing, bar, 4, 0, 1.0 / k);
        unsigned char *pixels = white_pixels(&drawing);
        CHECK_OK(ooze_drawing_paint_over(&drawing, pixels, drawing.width, &error));
        double black = 0;
        for (int i = 0; i < 32 * 16; i++) {
            black += (255 - pixels[3 * i]) / 255.0;
        }
        CHECK_NEAR(black, 20.0 / k, 0.2); /* 8 bits a pixel over 33 pixels */
        ooze_free(pixels);
        ooze_drawing_free(&drawing);
    }
}

/* Text is painted where its anchor says; bytes that are not UTF-8 are replaced. */
static void text_is_measured_and_placed(void **state)
{
    (void)state;
    CHECK_NEAR(ooze_text_width("", 12), 0, 0);
    CHECK_NEAR(ooze_text_width("1111", 12), ooze_text_width("8888", 12), 1e-9); /* in columns */
    CHECK_NEAR(ooze_text_width("abc", 24), 2 * ooze_text_width("abc", 12), 1e-9);
    assert_true(ooze_text_width("\xff\xff", 12) > 0);
    double width = ooze_text_width("HHH", 20);
    for (int anchor = OOZE_ANCHOR_START; anchor <= OOZE_ANCHOR_END; anchor++) {
        OozeDrawing drawing = {.width = 200, .height = 40};
        OozeTextStyle style = {.size = 20, .anchor = (OozeAnchor)anchor};
        ooze_drawing_text(&drawing, (OozePoint){100, 30}, "HHH", style);
        unsigned char *pixels = white_pixels(&drawing);
        CHECK_OK(ooze_drawing_paint_over(&drawing, pixels, drawing.width, &error));
        int first = 200, last = 0, top = 40, bottom = 0;
        for (int i = 0; i < 200 * 40; i++) {
            if (pixels[3 * i] < 128) {
                first = i % 200 < first ? i % 200 : first;
                last = i % 200 > last ? i % 200 : last;
                top = i / 200 < top ? i / 200 : top;
                bottom = i / 200;
            }
        }
        double start = 100 - width * anchor / 2;
        CHECK_NEAR(first, start, 3); /* the side bearing of the letter */
        CHECK_NEAR(last + 1, start + width, 3);
        CHECK_NEAR(bottom, 29, 1); /* on the baseline */
        CHECK_NEAR(bottom - top, 0.73 * 20, 2);
        ooze_free(pixels);
        ooze_drawing_free(&drawing);
    }
    OozeDrawing drawing = {.width = 1, .height = 1};
    ooze_drawing_text(&drawing, (OozePoint){0, 0}, "é\xff²\n", (OozeTextStyle){.size = 12});
    assert_string_equal(drawing.texts.data, "é?²?");
    ooze_drawing_free(&drawing);
}

/* ---- tables --------------------------------------------------------------------------------- */

static OozeStatus parse(const char *text, OozeTable *table, OozeError *error)
{
    return ooze_table_parse("t.csv", text, strlen(text), table, error);
}

static void tables_are_read(void **state)
{
    (void)state;
    OozeTable table;
    CHECK_OK(parse("# by hand\r\ntime [s],\"a, \"\"b\"\" [kg m/s]\"\r\n\r\n0,1e-3\n1, nan\n2,",
                   &table, &error));
    assert_int_equal(table.column_count, 2);
    assert_int_equal(table.row_count, 3);
    assert_string_equal(table.columns[0].name, "time");
    assert_string_equal(table.columns[0].unit, "s");
    assert_string_equal(table.columns[1].name, "a, \"b\"");
    assert_string_equal(table.columns[1].unit, "kg m/s");
    CHECK_NEAR(table.values[1], 1e-3, 0);
    assert_true(isnan(table.values[3]) && isnan(table.values[5]));
    ooze_table_free(&table);
    CHECK_OK(parse("1,2,3\n4,5,6", &table, &error)); /* no heading */
    assert_string_equal(table.columns[2].name, "y2");
    assert_int_equal(table.row_count, 2);
    CHECK_NEAR(table.values[5], 6, 0);
    ooze_table_free(&table);
    /* as spreadsheets write tables where numbers have decimal commas */
    CHECK_OK(parse("rate [1/s];\"a;b\"\n0,1;10.5\n1e-3;-2,5e1\n", &table, &error));
    assert_int_equal(table.column_count, 2);
    assert_string_equal(table.columns[1].name, "a;b");
    const double read[] = {0.1, 10.5, 1e-3, -25};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(table.values[i], read[i], 0);
    }
    ooze_table_free(&table);
    CHECK_OK(parse("0,5;1\n1,5;2\n", &table, &error)); /* no heading */
    assert_int_equal(table.column_count, 2);
    CHECK_NEAR(table.values[2], 1.5, 0);
    ooze_table_free(&table);
    OozeError mixed = {0};
    assert_int_equal(parse("a,b\n1;2\n", &table, &mixed), OOZE_ERROR_FORMAT);
    assert_string_equal(mixed.message, "'t.csv', line 2: '1;2' is not a number");
    assert_string_equal(mixed.hint, "use one separator in all lines, `,` or `;`");
    CHECK_FAILS(parse("a,b\n1,2\n3\n", &table, &error), OOZE_ERROR_FORMAT, "line 3 has 1 fields");
    CHECK_FAILS(parse("a,b\n1,2\n3,4,5\n", &table, &error), OOZE_ERROR_FORMAT, "line 3 has 3");
    CHECK_FAILS(parse("a,b\n1,two\n", &table, &error), OOZE_ERROR_FORMAT, "'two' is not a number");
    CHECK_FAILS(parse("", &table, &error), OOZE_ERROR_FORMAT, "is empty");
    CHECK_FAILS(parse("# only words\n", &table, &error), OOZE_ERROR_FORMAT, "is empty");
    CHECK_FAILS(ooze_table_parse("t.csv", "a\0b", 3, &table, &error), OOZE_ERROR_FORMAT,
                "not a table");
}

/* ---- from tables to figures ----------------------------------------------------------------- */

static char one[64], two[64];

static void put_tables(void)
{
    static const char first[] =
        "frame,time [s],particles,top.height [m],low.height [m],height.height "
        "[m],c.x [m],e.kinetic [J]\n0,0,5,1,2,3,4,5\n1,1,6,2,3,4,5,6\n";
    static const char second[] = "time [s],height [m],note\n0.5,1.5,1\n";
    snprintf(one, sizeof one, "%s/one.csv", folder);
    snprintf(two, sizeof two, "%s/two.csv", folder);
    CHECK_OK(ooze_file_write_atomic(one, first, sizeof first - 1, &error));
    CHECK_OK(ooze_file_write_atomic(two, second, sizeof second - 1, &error));
}

static OozeStatus compose(const char *probe, const char *also, const char *reference,
                          OozePlot *plot, OozeError *error)
{
    const char *runs[] = {one}, *probes[] = {probe, also}, *references[] = {reference};
    OozePlotRequest request = {.runs = runs,
                               .run_count = 1,
                               .probes = probes,
                               .probe_count = also ? 2 : 1,
                               .references = references,
                               .reference_count = reference ? 1 : 0};
    return ooze_plot_compose(&request, plot, error);
}

static void names_find_columns(void **state)
{
    (void)state;
    put_tables();
    OozePlot plot;
    CHECK_OK(compose("top.height", NULL, NULL, &plot, &error)); /* the column */
    assert_int_equal(plot.figure.series_count, 1);
    assert_string_equal(plot.panels[0].name, "top.height");
    CHECK_NEAR(plot.series[0].y[1], 2, 0);
    ooze_plot_free(&plot);
    CHECK_OK(
        compose("top", "low", NULL, &plot, &error)); /* probes: what they share names the panel */
    assert_int_equal(plot.figure.panel_count, 1);
    assert_string_equal(plot.panels[0].name, "height");
    assert_string_equal(plot.series[1].label, "low.height");
    ooze_plot_free(&plot);
    CHECK_OK(compose("height", NULL, NULL, &plot, &error)); /* a probe before a part of columns */
    assert_int_equal(plot.figure.series_count, 1);
    assert_string_equal(plot.panels[0].name, "height");
    ooze_plot_free(&plot);
    CHECK_OK(compose("kinetic", "x", NULL, &plot, &error)); /* parts; units apart */
    assert_int_equal(plot.figure.panel_count, 2);
    assert_string_equal(plot.panels[1].unit, "m");
    ooze_plot_free(&plot);
    CHECK_FAILS(compose("top.hight", NULL, NULL, &plot, &error), OOZE_ERROR_ARGUMENT,
                "has no column 'top.hight'");
}

static void references_join_their_panel(void **state)
{
    (void)state;
    put_tables();
    OozePlot plot;
    CHECK_OK(compose("e.kinetic", "top", two, &plot, &error));
    assert_int_equal(plot.figure.series_count, 4);
    assert_true(plot.series[2].markers && plot.series[3].markers);
    assert_int_equal(plot.series[2].panel, 1); /* metres */
    assert_int_equal(plot.series[3].panel, 0); /* no unit: the first */
    assert_string_equal(plot.series[2].label, "two");
    assert_string_equal(plot.series[3].label, "note");
    ooze_plot_free(&plot);
    CHECK_FAILS(compose("e.kinetic", NULL, two, &plot, &error), OOZE_ERROR_ARGUMENT,
                "'height' in m, which is the unit of no probe plotted");
}

/* Every allocation fails once; each failure is reported and nothing leaks (in the sanitizer build).
   */
static void failed_allocations_are_reported(void **state)
{
    (void)state;
    put_tables();
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t allocations = 1;
    for (; status == OOZE_ERROR_MEMORY && allocations < 2000; allocations++) {
        OozePlot plot = {0};
        OozeDrawing drawing = {0};
        ooze_memory_fail_after(allocations);
        OozeError error = {0};
        status = compose("top", "c.x", two, &plot, &error);
        if (!status) {
            OozeFigure figure = plot.figure;
            figure.width = 300;
            figure.height = 300;
            status = ooze_figure_draw(&figure, &drawing, NULL, &error);
        }
        status = status ? status : ooze_drawing_write_all(&drawing, folder, "out", &error);
        ooze_memory_fail_after(0);
        ooze_drawing_free(&drawing);
        ooze_plot_free(&plot);
    }
    assert_int_equal(status, OOZE_OK);
    assert_in_range(allocations, 30, 1999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_one_two_five),
        cmocka_unit_test(ticks_fall_on_round_numbers),
        cmocka_unit_test(labels_have_scaled_numbers),
        cmocka_unit_test(titles_contain_the_unit),
        cmocka_unit_test(labels_differ),
        cmocka_unit_test(logarithmic_axes_have_minor_ticks),
        cmocka_unit_test(axes_are_padded_and_include_zero),
        cmocka_unit_test(points_are_at_their_pixels),
        cmocka_unit_test(gaps_break_the_line),
        cmocka_unit_test(lines_end_at_the_panel),
        cmocka_unit_test(empty_and_cramped_figures_are_refused),
        cmocka_unit_test(thinning_keeps_the_picture),
        cmocka_unit_test(polygons_cover_their_area),
        cmocka_unit_test(text_is_measured_and_placed),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test_setup_teardown(names_find_columns, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(references_join_their_panel, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(failed_allocations_are_reported, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
