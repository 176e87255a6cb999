/* Connected pieces: see methods/conformation/pieces.c. A root is hung under a smaller one, so that every piece ends with its least
   particle as its root, whoever came first. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

OOZE_DEVICE uint32_t parent_of(const uint32_t *parent, uint32_t i)
{
    return const_cast<const volatile uint32_t *>(parent)[i];
}

/* Halves the way for those who come after. */
OOZE_DEVICE uint32_t find_root(uint32_t *parent, uint32_t i)
{
    for (uint32_t up = parent_of(parent, i); up != i; up = parent_of(parent, i)) {
        uint32_t above = parent_of(parent, up);
        if (above != up) {
            const_cast<volatile uint32_t *>(parent)[i] = above;
        }
        i = above;
    }
    return i;
}

OOZE_DEVICE void join(uint32_t *parent, uint32_t i, uint32_t j)
{
    for (;;) {
        i = find_root(parent, i);
        j = find_root(parent, j);
        if (i == j) {
            return;
        }
        uint32_t low = i < j ? i : j, high = i < j ? j : i;
        if (atomicCAS(&parent[high], high, low) == high) {
            return;
        }
    }
}

/* Each under its least neighbour first: of what is left to join, most then have the same root already. */
void find_pieces(Step *step, uint32_t *root, const int32_t *off)
{
    StepView s = step->view;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            uint32_t least = i;
            uint16_t own = s.material[i];
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                least = j < least && s.material[j] == own ? j : least;
            });
            root[i] = least;
        });
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                (void)find_root(root, i);
            }
        });
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            uint16_t own = s.material[i];
            uint32_t mine = find_root(root, i);
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                if (j < i && s.material[j] == own && parent_of(root, j) != mine) {
                    join(root, i, j);
                    mine = find_root(root, i);
                }
            });
        });
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                root[i] = find_root(root, i);
            }
        });
}

} // namespace ooze
