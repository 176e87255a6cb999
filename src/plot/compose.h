/* From runs and names of probes to a figure: selects columns, assigns them to panels and labels
   them. */
#ifndef OOZE_PLOT_COMPOSE_H
#define OOZE_PLOT_COMPOSE_H

#include "plot/figure.h"
#include "plot/table.h"

typedef struct OozePlotRequest {
    const char *const *runs; /* run folders, or tables that end in .csv */
    int run_count;
    const char *const *probes; /* columns, probes (all their columns), or parts of column names */
    int probe_count;
    const char *x;                 /* a column; NULL: time */
    const char *const *references; /* tables: x first, each further column a series of markers */
    int reference_count;
    const char *const *labels; /* of the runs, then of the references; the last may be missing */
    int label_count;
} OozePlotRequest;

typedef struct OozePlot {
    OozeFigure figure; /* panels, series and x axis are set; the caller sets size, title and ends */
    OozePanel *panels;
    OozeSeries *series;
    OozeTable *tables;
    int table_count;
    OozeText *texts; /* strings of the labels and names */
    int text_count;
} OozePlot;

OozeStatus ooze_plot_compose(const OozePlotRequest *request, OozePlot *plot, OozeError *error);
void ooze_plot_free(OozePlot *plot);

#endif
