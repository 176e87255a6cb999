/* Levels of the background grids of grid_multigrid.h and velocity_multigrid.h: cells, nodes and
   links, which both kinds of equations and both machines have. What a kind adds to a level, its
   matrix and its vectors, is a struct of its own. C17 and CUDA. */
#ifndef OOZE_SOLVERS_MULTIGRID_LEVELS_H
#define OOZE_SOLVERS_MULTIGRID_LEVELS_H

#include "solvers/multigrid/grid_multigrid_formula.h"
#include "solvers/vectors/vector_formula.h"

typedef struct OozeMultigridLevel {
    OozeMultigridShape shape;
    uint64_t cells, nodes;
    /* Cells with particles, by ascending number. With links, those of a coarser level are sets of
       linked cells, the elements: several may have the same number. */
    uint64_t *cell;        /* numbers */
    uint32_t *corner_node; /* 8 per cell */
    uint32_t *child_first; /* cells + 1: children in `child`; particles in the first level */
    uint32_t *child;       /* cells of the finer level, or particles, by parent */
    uint32_t *parent;      /* cell of the coarser level, or OOZE_MULTIGRID_NONE */
    uint8_t *place;        /* in the parent: see ooze_multigrid_parent */
    uint32_t *link_first;  /* cells + 1: linked cells in `link`, ascending; NULL: without links */
    uint32_t *link;
    uint64_t links;
    /* Cells that share no node with others: a coarser grid adds nothing to them. */
    uint32_t *isolated;
    uint64_t isolated_count;
    /* nodes, by ascending number */
    uint64_t *node;        /* numbers; not with links */
    uint32_t *node_first;  /* nodes + 1: corners in node_corner */
    uint32_t *node_corner; /* 8 cell + corner, by node */
    uint32_t *coarse_cell; /* that contains the node, or OOZE_MULTIGRID_NONE; not in the last */
    uint8_t *coarse_place; /* of the node in it: see ooze_multigrid_halves */
} OozeMultigridLevel;

typedef struct OozeHierarchy {
    uint64_t n;                /* particles */
    OozeMultigridAxis axis[3]; /* of the first level */
    float inverse[3];          /* 1 / edge of a cell of the first level */
    OozeVector *into;          /* per particle, by cell: place in the cell, 0 to 1 */
    OozeMultigridChild *child; /* per place of a child in its parent */
    bool linked;               /* corners are one node only where links join their cells */
    uint64_t direct;           /* most nodes of a level that is solved directly */
    uint64_t all_cells;        /* of the first level, of all processes; 0: as it has itself */
    int levels;
    OozeMultigridLevel level[OOZE_MULTIGRID_LEVELS];
    /* of the processor: memory of the levels, and of a build */
    struct OozeArena *kept, *temporary;
    struct OozeThreads *threads;
} OozeHierarchy;

/* What a machine does to find the levels. */
typedef struct OozeHierarchyStages {
    void (*find_first)(OozeHierarchy *h); /* cells of the first level, and their links */
    void (*find_nodes)(OozeHierarchy *h, int level);
    /* Cells of the next level, which may be none, their links, and where nodes are in them. */
    void (*find_coarser)(OozeHierarchy *h, int level);
    bool (*failed)(const OozeHierarchy *h);
} OozeHierarchyStages;

/* Finds the levels, up to one with few nodes. After a failure they are incomplete. */
void ooze_hierarchy_find(OozeHierarchy *h, const OozeHierarchyStages *stages);

/* Whether a level has few nodes, so that it is solved directly. */
bool ooze_hierarchy_is_coarsest(const OozeHierarchy *h, int level);

#endif
