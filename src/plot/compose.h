/* From runs and names of probes to a figure: which columns are meant, which share a panel, how the
   legend calls them. */
#ifndef OOZE_PLOT_COMPOSE_H
#define OOZE_PLOT_COMPOSE_H

#include "plot/figure.h"
#include "plot/table.h"

typedef struct OozePlotRequest {
    const char *const *runs; /* run folders, or tables that end in .csv */
    int run_count;
    const char *const *probes; /* columns, probes (all their columns), or names of columns alone */
    int probe_count;
    const char *x;                 /* a column; NULL: time */
    const char *const *references; /* tables: x first, every further column a series of markers */
    int reference_count;
    const char *const *labels; /* of the runs, then of the references; may be fewer */
    int label_count;
} OozePlotRequest;

typedef struct OozePlot {
    OozeFigure figure; /* panels and series filled in; sizes, title and ends are the caller's */
    OozePanel *panels;
    OozeSeries *series;
    OozeTable *tables;
    int table_count;
    OozeText *texts; /* labels and names, one each */
    int text_count;
} OozePlot;

OozeStatus ooze_plot_compose(const OozePlotRequest *request, OozePlot *plot, OozeError *error);
void ooze_plot_free(OozePlot *plot);

#endif
