/* Concurrent union-find (Anderson and Woll 1991): the root with the larger index becomes a child
   of the smaller one, so the root of every component is its lowest index, in whatever order
   threads join them. Valid C17 and CUDA; the atomic accesses to the parents differ. */
#ifndef OOZE_PARTICLES_COMPONENTS_FORMULA_H
#define OOZE_PARTICLES_COMPONENTS_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define OOZE_COMPONENT static inline __device__
typedef uint32_t OozeParent;
OOZE_COMPONENT uint32_t ooze_parent_get(const OozeParent *parent, uint32_t i)
{
    return const_cast<const volatile OozeParent *>(parent)[i];
}
OOZE_COMPONENT void ooze_parent_set(OozeParent *parent, uint32_t i, uint32_t to)
{
    const_cast<volatile OozeParent *>(parent)[i] = to;
}
/* Sets the parent of a root; false: it is no longer a root. */
OOZE_COMPONENT bool ooze_parent_exchange(OozeParent *parent, uint32_t root, uint32_t to)
{
    return atomicCAS(&parent[root], root, to) == root;
}
#else
#include <stdatomic.h>
#define OOZE_COMPONENT static inline
typedef _Atomic uint32_t OozeParent;
OOZE_COMPONENT uint32_t ooze_parent_get(const OozeParent *parent, uint32_t i)
{
    return atomic_load_explicit(&parent[i], memory_order_relaxed);
}
OOZE_COMPONENT void ooze_parent_set(OozeParent *parent, uint32_t i, uint32_t to)
{
    atomic_store_explicit(&parent[i], to, memory_order_relaxed);
}
OOZE_COMPONENT bool ooze_parent_exchange(OozeParent *parent, uint32_t root, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(&parent[root], &root, to, memory_order_relaxed,
                                                   memory_order_relaxed);
}
#endif

/* The root of i, with path halving. */
OOZE_COMPONENT uint32_t ooze_component_root(OozeParent *parent, uint32_t i)
{
    for (uint32_t up = ooze_parent_get(parent, i); up != i; up = ooze_parent_get(parent, i)) {
        uint32_t above = ooze_parent_get(parent, up);
        if (above != up) {
            ooze_parent_set(parent, i, above);
        }
        i = above;
    }
    return i;
}

OOZE_COMPONENT void ooze_component_join(OozeParent *parent, uint32_t i, uint32_t j)
{
    bool joined = false;
    while (!joined) {
        i = ooze_component_root(parent, i);
        j = ooze_component_root(parent, j);
        joined = i == j || ooze_parent_exchange(parent, i < j ? j : i, i < j ? i : j);
    }
}

#endif
