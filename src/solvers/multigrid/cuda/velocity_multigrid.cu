/* Memory and matrices of the grids: see cpu/velocity_multigrid.c and
   cpu/velocity_multigrid_loops.c. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

namespace ooze
{

void velocity_multigrid_free(Gpu *gpu, VelocityMultigrid *mg)
{
    hierarchy_free(gpu, mg);
    for (int k = 0; k < OOZE_MULTIGRID_LEVELS; k++) {
        for (int b = 0; b < VELOCITY_BUFFERS; b++) {
            buffer_free(gpu, &mg->buffer[k][b]);
        }
    }
    buffer_free(gpu, &mg->shared_buffer);
    *mg = {};
}

/* ---- matrices of elements of the first level ---- */

/* Sums over the particles of the elements, in scratch: of `coefficients` coefficients, or of the
   mean stiffness alone where the ratio is not negative, then masses. */
struct MomentsView {
    float *ratio;   /* per element: of bulk to shear; negative: particles differ */
    float *moments; /* 72 coefficients + 36 per element */
    int coefficients;
    uint64_t stride;
};

OOZE_DEVICE OozeVelocityBasis *basis_of(const MomentsView &m, uint64_t e, int c)
{
    return reinterpret_cast<OozeVelocityBasis *>(m.moments + m.stride * e) + c;
}

OOZE_DEVICE float *mass_of(const MomentsView &m, uint64_t e)
{
    return reinterpret_cast<float *>(basis_of(m, e, m.coefficients));
}

/* Ratios of the elements. Returns the number of coefficients to sum; waits. */
static int find_ratios(Gpu *gpu, const VelocityLevel &level, const VelocityMultigridInput &input,
                       float *ratios)
{
    const Max1 none = {0.0f};
    Max1 differ = sum_to_host(
        gpu, level.cells, none, OOZE_BODY(uint32_t e) {
            const uint32_t first = level.child_first[e], last = level.child_first[e + 1];
            const uint32_t head = level.child[first];
            float shear = ooze_sym3_trace(input.stiffness[head]) / 3.0f;
            float ratio = shear > 0.0f ? input.bulk[head] / shear : 0.0f;
            bool same = true;
            for (uint32_t k = first; k < last; k++) {
                const uint32_t i = level.child[k];
                same = same && ooze_velocity_has_ratio(input.stiffness[i], input.bulk[i], ratio);
            }
            ratios[e] = same ? ratio : -1.0f;
            Max1 one = {same ? 0.0f : 1.0f};
            return one;
        });
    return differ.a > 0.0f ? OOZE_VELOCITY_COEFFICIENTS : 1;
}

static MomentsView sum_moments(Gpu *gpu, const VelocityMultigrid *mg,
                               const VelocityMultigridInput &input)
{
    const VelocityLevel level = mg->host_level[0];
    const float4 *all = mg->into;
    const float4 inverse = f32x4(mg->inverse[0], mg->inverse[1], mg->inverse[2]);
    MomentsView m = {};
    m.ratio = scratch<float>(gpu, level.cells);
    m.coefficients = find_ratios(gpu, level, input, m.ratio);
    m.stride = 72 * (uint64_t)m.coefficients + 36;
    m.moments = scratch<float>(gpu, m.stride * level.cells);
    for_each(
        gpu, (uint64_t)m.coefficients * level.cells, OOZE_BODY(uint32_t thread) {
            const uint32_t e = thread / (uint32_t)m.coefficients;
            const int c = (int)(thread % (uint32_t)m.coefficients);
            const bool isotropic = m.ratio[e] >= 0.0f;
            if (isotropic && c > 0) {
                return;
            }
            const float edges[3] = {inverse.x, inverse.y, inverse.z};
            OozeVelocityBasis sum = {}, basis;
            for (uint32_t k = level.child_first[e]; k < level.child_first[e + 1]; k++) {
                const uint32_t i = level.child[k];
                const float into[3] = {all[k].x, all[k].y, all[k].z};
                OozeSym3 a = input.stiffness[i];
                float own = isotropic ? ooze_sym3_trace(a) / 3.0f
                                      : ooze_velocity_coefficient(a, input.bulk[i], c);
                own = input.boundary_particle_of[i] == OOZE_MULTIGRID_NONE ? own : 0.0f;
                ooze_velocity_basis(into, &basis);
                ooze_velocity_add_basis(&sum, &basis, own);
            }
            ooze_velocity_scale_basis(&sum, edges);
            *basis_of(m, e, c) = sum;
        });
    for_each(
        gpu, level.cells, OOZE_BODY(uint32_t e) {
            float sum[36] = {};
            for (uint32_t k = level.child_first[e]; k < level.child_first[e + 1]; k++) {
                const uint32_t i = level.child[k];
                const float into[3] = {all[k].x, all[k].y, all[k].z};
                bool boundary_particle = input.boundary_particle_of[i] != OOZE_MULTIGRID_NONE;
                ooze_velocity_add_mass(sum, into, boundary_particle ? 0.0f : input.mass[i]);
            }
            float *to = mass_of(m, e);
            for (int k = 0; k < 36; k++) {
                to[k] = sum[k];
            }
        });
    return m;
}

/* Special particles at the corners of their cells, in scratch. */
static const OozeVelocityCorners *find_corners(Gpu *gpu, const VelocityMultigrid *mg,
                                               const VelocityMultigridInput &input)
{
    const VelocityLevel level = mg->host_level[0];
    const float4 *all = mg->into;
    const float4 inverse = f32x4(mg->inverse[0], mg->inverse[1], mg->inverse[2]);
    OozeVelocityCorners *corners = scratch<OozeVelocityCorners>(gpu, input.boundary_particle_count);
    if (input.boundary_particle_count > 0) {
        for_each(
            gpu, mg->n, OOZE_BODY(uint32_t k) {
                const uint32_t i = level.child[k], at = input.boundary_particle_of[i];
                const float into[3] = {all[k].x, all[k].y, all[k].z};
                const float edges[3] = {inverse.x, inverse.y, inverse.z};
                if (at != OOZE_MULTIGRID_NONE) {
                    ooze_velocity_corners(&input.boundary_particle[at], into, edges,
                                          input.stiffness[i], &corners[at]);
                }
            });
    }
    return corners;
}

/* Corners a <= b of a pair. */
OOZE_DEVICE void pair_corners(uint32_t pair, int *a, int *b)
{
    int first = 0, rest = (int)pair;
    while (rest >= 8 - first) {
        rest -= 8 - first;
        first++;
    }
    *a = first;
    *b = first + rest;
}

static void first_elements(Gpu *gpu, const VelocityMultigrid *mg,
                           const VelocityMultigridInput *given)
{
    const VelocityMultigridInput input = *given;
    const VelocityLevel level = mg->host_level[0];
    Mark mark = scratch_mark(gpu);
    const MomentsView m = sum_moments(gpu, mg, input);
    const OozeVelocityCorners *corners = find_corners(gpu, mg, input);
    for_each(
        gpu, OOZE_VELOCITY_PAIRS * level.cells, OOZE_BODY(uint32_t thread) {
            const uint32_t e = thread / OOZE_VELOCITY_PAIRS;
            float block[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
            int a, b;
            pair_corners(thread % OOZE_VELOCITY_PAIRS, &a, &b);
            ooze_velocity_add_pair(basis_of(m, e, 0), mass_of(m, e), a, b, m.ratio[e], block);
            for (uint32_t k = level.child_first[e];
                 k < level.child_first[e + 1] && input.boundary_particle_count > 0; k++) {
                const uint32_t i = level.child[k], at = input.boundary_particle_of[i];
                if (at != OOZE_MULTIGRID_NONE) {
                    const OozeVelocityParticle own = {input.mass[i], input.stiffness[i],
                                                      input.bulk[i]};
                    ooze_velocity_add_boundary_pair(&input.boundary_particle[at], &corners[at],
                                                    &own, a, b, block);
                }
            }
            ooze_velocity_store_pair(block, a, b,
                                     level.element + OOZE_VELOCITY_ELEMENT * (uint64_t)e);
        });
    scratch_rewind(gpu, mark);
}

/* ---- coarser matrices ---- */

/* Threads share the children of an element. */
template <int LANES> static void coarse_elements(Gpu *gpu, const VelocityMultigrid *mg, int k)
{
    const VelocityLevel level = mg->host_level[k], fine = mg->host_level[k - 1];
    const OozeMultigridChild *children = mg->child;
    for_lanes<LANES>(
        gpu, 8 * level.cells, OOZE_BODY(uint32_t row, uint32_t lane) {
            const uint32_t e = row / 8;
            float sum[OOZE_VELOCITY_CORNER] = {};
            for (uint32_t c = level.child_first[e] + lane; c < level.child_first[e + 1];
                 c += LANES) {
                const uint64_t child = level.child[c];
                ooze_velocity_add_child(fine.element + OOZE_VELOCITY_ELEMENT * child,
                                        children[fine.place[child]].weight, (int)(row % 8), sum);
            }
            float *to = level.element + OOZE_VELOCITY_CORNER * (uint64_t)row;
            for (int k = 0; k < OOZE_VELOCITY_CORNER; k++) {
                const float all = lanes_sum<LANES>(sum[k]);
                if (lane == 0) {
                    to[k] = all;
                }
            }
        });
}

static void fill(Gpu *gpu, VelocityMultigrid *mg, const VelocityMultigridInput *input)
{
#define COARSE_ELEMENTS(lanes) coarse_elements<lanes>(gpu, mg, k)
    for (int k = 0; k < mg->levels; k++) {
        VelocityLevel *level = &mg->host_level[k];
        level->element = scratch<float>(gpu, OOZE_VELOCITY_ELEMENT * level->cells);
    }
    for (int k = 0; k < mg->levels; k++) {
        const VelocityLevel *level = &mg->host_level[k];
        if (k == 0) {
            first_elements(gpu, mg, input);
        } else {
            OOZE_LANES(level->cells, COARSE_ELEMENTS);
        }
        velocity_fill_rows(gpu, level);
        if (k + 1 < mg->levels || !mg->dense) {
            velocity_invert_isolated(gpu, level);
        } else {
            velocity_invert_coarsest(gpu, level, mg->dense);
        }
    }
}

OozeStatus velocity_multigrid_refill(Gpu *gpu, VelocityMultigrid *mg,
                                     const VelocityMultigridInput *input, OozeError *error)
{
    Mark mark = scratch_mark(gpu);
    mg->child = make_children(gpu);
    fill(gpu, mg, input);
    scratch_rewind(gpu, mark);
    return status(gpu, input->n, error);
}

/* ---- building ---- */

static void allocate_shared(Gpu *gpu, VelocityMultigrid *mg)
{
    const OozeMultigridLevel *first = &mg->level[0], *last = &mg->level[mg->levels - 1];
    const bool direct = last->nodes <= OOZE_VELOCITY_DENSE;
    const uint64_t rows = 3 * (uint64_t)last->nodes;
    bool ok = divide(gpu, &mg->shared_buffer, [=](Slab *slab) {
        slab->take(&mg->corner_sums, 8 * first->cells);
        slab->take(&mg->device_level, OOZE_MULTIGRID_LEVELS);
        slab->take(&mg->dense, direct ? rows * rows : 0);
    });
    mg->dense = direct ? mg->dense : nullptr;
    for (int k = 0; k < mg->levels; k++) {
        mg->host_level[k] = {{mg->level[k]}, {mg->rows[k]}};
    }
    if (ok) {
        copy_in(gpu, mg->device_level, mg->host_level, sizeof mg->host_level);
        velocity_find_steps(mg);
    }
}

OozeStatus velocity_multigrid_build(Gpu *gpu, VelocityMultigrid *mg,
                                    const VelocityMultigridInput *input, OozeError *error)
{
    hierarchy_clear(gpu, mg);
    mg->linked = true;
    mg->direct = OOZE_VELOCITY_DENSE;
    mg->input = input;
    if (input->n > OOZE_VELOCITY_PARTICLES) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use velocity_preconditioner: diagonal",
                         "%llu particles in a velocity solve by multigrid; at most %llu are "
                         "possible",
                         (unsigned long long)input->n, (unsigned long long)OOZE_VELOCITY_PARTICLES);
    }
    mg->n = input->n;
    Mark mark = scratch_mark(gpu);
    hierarchy_find(mg, velocity_find_first);
    mg->child = make_children(gpu);
    for (int k = 0; k < mg->levels && gpu->failed == cudaSuccess; k++) {
        velocity_find_rows(gpu, mg, k);
        if (k > 0) {
            velocity_find_weights(gpu, mg, k);
        }
    }
    if (mg->levels > 0 && gpu->failed == cudaSuccess) {
        allocate_shared(gpu, mg);
        fill(gpu, mg, input);
    }
    scratch_rewind(gpu, mark);
    OozeStatus result = status(gpu, input->n, error);
    mg->levels = result ? 0 : mg->levels;
    return result;
}

} // namespace ooze
