/* Links of elements and what follows from them: which corners are one node, which elements have one
   parent, and which are alone. Valid C17 and CUDA; see velocity_multigrid.h. */
#ifndef OOZE_SOLVERS_MULTIGRID_LINKS_FORMULA_H
#define OOZE_SOLVERS_MULTIGRID_LINKS_FORMULA_H

#include "solvers/multigrid/levels.h"

enum {
    OOZE_LINK_SLOTS = 27, /* room for the links of an element of the first level */
    OOZE_LINK_SEEN = 64   /* elements that a search for links remembers */
};

/* Place of the cell `other` among the 27 around `cell`, x fastest; -1: it is not one of them. */
OOZE_FORMULA int ooze_links_place(const OozeMultigridShape *shape, uint64_t cell, uint64_t other)
{
    int32_t a[3], b[3];
    int place = 0;
    ooze_multigrid_place(shape->cells, cell, a);
    ooze_multigrid_place(shape->cells, other, b);
    for (int k = 2; k >= 0; k--) {
        int32_t d = b[k] - a[k], half = shape->cells[k] / 2;
        d -= shape->wraps[k] && d > half ? shape->cells[k] : 0;
        d += shape->wraps[k] && d < -half ? shape->cells[k] : 0;
        if (d < -1 || d > 1) {
            return -1;
        }
        place = 3 * place + d + 1;
    }
    return place;
}

/* The cell at such a place. */
OOZE_FORMULA uint64_t ooze_links_cell(const OozeMultigridShape *shape, uint64_t cell, int place)
{
    int32_t at[3];
    ooze_multigrid_place(shape->cells, cell, at);
    for (int k = 0; k < 3; k++, place /= 3) {
        at[k] += place % 3 - 1;
        at[k] += at[k] < 0 ? shape->cells[k] : 0;
        at[k] -= at[k] >= shape->cells[k] ? shape->cells[k] : 0;
    }
    return ooze_multigrid_number(shape->cells, at);
}

/* Inserts `element` into an ascending list without duplicates. Returns the new length. */
OOZE_FORMULA uint32_t ooze_links_insert(uint32_t *list, uint32_t count, uint32_t element)
{
    uint32_t at = count;
    while (at > 0 && list[at - 1] > element) {
        at--;
    }
    if (at > 0 && list[at - 1] == element) {
        return count;
    }
    for (uint32_t k = count; k > at; k--) {
        list[k] = list[k - 1];
    }
    list[at] = element;
    return count + 1;
}

/* First place from `low` on whose value is not below. */
OOZE_FORMULA uint32_t ooze_links_lower_bound(const uint32_t *value, uint32_t low, uint32_t high,
                                             uint64_t least)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (value[middle] < least) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Linked elements of each element, ascending. */
typedef struct OozeLinks {
    const uint32_t *first; /* elements + 1 */
    const uint32_t *link;
} OozeLinks;

OOZE_FORMULA bool ooze_links_are_linked(const OozeLinks *s, uint32_t a, uint32_t b)
{
    uint32_t last = s->first[a + 1];
    uint32_t at = ooze_links_lower_bound(s->link, s->first[a], last, b);
    return at < last && s->link[at] == b;
}

/* ---- components of linked elements in groups ---- */

/* Sorted values in groups: corners at one place (value / 8 is the element), or elements in one
   parent cell. Members of linked elements belong together. */
typedef struct OozeLinkComponents {
    OozeLinks links;
    const uint32_t *group_first; /* groups + 1 */
    const uint32_t *value;       /* ascending in each group */
    uint32_t per_element;        /* values of an element: 8 corners, or 1 */
    uint32_t *root;              /* per value: first value of its component */
    uint32_t *count;             /* per group: components; then the sum of those before */
    uint32_t *component;         /* per value */
    uint32_t *first, *listed;    /* of all components: first of their values, and these */
} OozeLinkComponents;

OOZE_FORMULA uint32_t ooze_links_root(uint32_t *root, uint32_t i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

OOZE_FORMULA void ooze_links_join(uint32_t *root, uint32_t i, uint32_t j)
{
    uint32_t a = ooze_links_root(root, i), b = ooze_links_root(root, j);
    root[a > b ? a : b] = a < b ? a : b;
}

/* Joins a value with those before it: pair by pair in small groups, else by way of the links. */
OOZE_FORMULA void ooze_links_join_member(const OozeLinkComponents *s, uint32_t first, uint32_t i)
{
    const uint32_t per = s->per_element, element = s->value[i] / per, small = 16;
    if (i - first < small) {
        for (uint32_t j = i; j-- > first;) {
            uint32_t other = s->value[j] / per;
            if (ooze_links_root(s->root, i) != ooze_links_root(s->root, j) &&
                (other == element || ooze_links_are_linked(&s->links, element, other))) {
                ooze_links_join(s->root, i, j);
            }
        }
        return;
    }
    /* corners of the same element, at one place across a periodic axis */
    for (uint32_t j = i; j > first && s->value[j - 1] / per == element; j--) {
        ooze_links_join(s->root, i, j - 1);
    }
    for (uint32_t e = s->links.first[element]; e < s->links.first[element + 1]; e++) {
        uint64_t other = s->links.link[e];
        uint32_t j = ooze_links_lower_bound(s->value, first, i, other * per);
        if (j < i && s->value[j] / per == other) {
            ooze_links_join(s->root, i, j);
        }
    }
}

/* Finds the roots of a group, and counts its components. */
OOZE_FORMULA void ooze_links_join_group(const OozeLinkComponents *s, uint64_t g)
{
    uint32_t first = s->group_first[g], last = s->group_first[g + 1], count = 0;
    for (uint32_t i = first; i < last; i++) {
        s->root[i] = i;
        ooze_links_join_member(s, first, i);
    }
    for (uint32_t i = first; i < last; i++) {
        s->root[i] = ooze_links_root(s->root, i);
        count += s->root[i] == i ? 1u : 0u;
    }
    s->count[g] = count;
}

/* Roots are the first members, so components are numbered in the order of these. */
OOZE_FORMULA void ooze_links_number_group(const OozeLinkComponents *s, uint64_t g)
{
    uint32_t next = s->count[g];
    for (uint32_t i = s->group_first[g]; i < s->group_first[g + 1]; i++) {
        s->component[i] = s->root[i] == i ? next++ : s->component[s->root[i]];
    }
}

/* Values by component, ascending in each. Components of a group follow each other, so that a group
   keeps its place among the values. */
OOZE_FORMULA void ooze_links_list_group(const OozeLinkComponents *s, uint64_t g)
{
    uint32_t at = s->group_first[g];
    for (uint32_t c = s->count[g]; c < s->count[g + 1]; c++) {
        s->first[c] = at;
        for (uint32_t i = s->group_first[g]; i < s->group_first[g + 1]; i++) {
            if (s->component[i] == c) {
                s->listed[at++] = s->value[i];
            }
        }
    }
}

/* ---- cells and nodes ---- */

/* No other cell has a corner of this one; with links, no other element has a node of it. */
OOZE_FORMULA bool ooze_links_is_isolated(const OozeMultigridLevel *s, bool linked, uint64_t cell)
{
    bool isolated = true;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t node = s->corner_node[8 * cell + k];
        uint32_t first = s->node_first[node], last = s->node_first[node + 1];
        isolated = isolated && (linked || last - first == 1);
        for (uint32_t c = first; c < last && linked; c++) {
            isolated = isolated && s->node_corner[c] / 8 == cell;
        }
    }
    return isolated;
}

/* A node takes its value from the parent of the first of its cells. */
OOZE_FORMULA void ooze_links_find_coarse_cell(const OozeMultigridLevel *s, uint64_t node)
{
    uint32_t corner = s->node_corner[s->node_first[node]];
    s->coarse_cell[node] = s->parent[corner / 8];
    s->coarse_place[node] = (uint8_t)ooze_multigrid_halves(s->place[corner / 8], (int)(corner % 8));
}

/* Number of the links of the children of a cell. */
OOZE_FORMULA uint32_t ooze_links_of_children(const OozeMultigridLevel *fine,
                                             const OozeMultigridLevel *level, uint64_t cell)
{
    uint32_t sum = 0;
    for (uint32_t c = level->child_first[cell]; c < level->child_first[cell + 1]; c++) {
        uint32_t child = level->child[c];
        sum += fine->link_first[child + 1] - fine->link_first[child];
    }
    return sum;
}

/* Lists the cells that a cell is linked with, ascending, by way of its children. Returns their
   number. */
OOZE_FORMULA uint32_t ooze_links_of_parent(const OozeMultigridLevel *fine,
                                           const OozeMultigridLevel *level, uint64_t cell,
                                           uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t c = level->child_first[cell]; c < level->child_first[cell + 1]; c++) {
        uint32_t child = level->child[c];
        for (uint32_t e = fine->link_first[child]; e < fine->link_first[child + 1]; e++) {
            uint32_t other = fine->parent[fine->link[e]];
            if (other != cell && other != OOZE_MULTIGRID_NONE) {
                count = ooze_links_insert(list, count, other);
            }
        }
    }
    return count;
}

/* The nodes of the finer level in the stencil of node i, by way of its cells and their children;
   place s of the stencil is at to[s * stride]. Places without a node keep what they have. */
OOZE_FORMULA void ooze_links_list_stencil(const OozeMultigridLevel *level,
                                          const OozeMultigridLevel *fine,
                                          const OozeMultigridChild *children, uint64_t i,
                                          uint32_t *to, uint64_t stride)
{
    for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
        uint64_t cell = level->node_corner[e] / 8;
        uint32_t corner = level->node_corner[e] % 8;
        for (uint32_t f = level->child_first[cell]; f < level->child_first[cell + 1]; f++) {
            uint64_t child = level->child[f];
            const int8_t *slots = children[fine->place[child]].fine_slot + corner;
            for (uint32_t b = 0; b < 8; b++) {
                if (slots[8 * b] >= 0) {
                    to[(uint64_t)slots[8 * b] * stride] = fine->corner_node[8 * child + b];
                }
            }
        }
    }
}

/* Nodes of the finer level whose values node i is part of, by way of its cells and their children,
   and their weights; see ooze_links_find_coarse_cell. With NULL it only counts them. */
OOZE_FORMULA uint32_t ooze_links_list_fine_nodes(const OozeMultigridLevel *level,
                                                 const OozeMultigridLevel *fine,
                                                 const OozeMultigridChild *children, uint64_t i,
                                                 uint32_t *node, float *weight)
{
    uint32_t count = 0;
    for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
        uint64_t cell = level->node_corner[e] / 8;
        uint32_t corner = level->node_corner[e] % 8;
        for (uint32_t f = level->child_first[cell]; f < level->child_first[cell + 1]; f++) {
            uint32_t child = level->child[f];
            const float *weights = children[fine->place[child]].weight;
            for (uint32_t b = 0; b < 8; b++) {
                uint32_t at = fine->corner_node[8 * (uint64_t)child + b];
                bool first = fine->node_corner[fine->node_first[at]] == 8 * child + b;
                float part = first ? weights[8 * b + corner] : 0.0f;
                if (part > 0.0f) {
                    if (node) {
                        node[count] = at;
                        weight[count] = part;
                    }
                    count++;
                }
            }
        }
    }
    return count;
}

#endif
