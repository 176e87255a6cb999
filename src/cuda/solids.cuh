/* Solids on the device: signed distances, contacts, and samples of their surfaces. */
#ifndef OOZE_CUDA_SOLIDS_CUH
#define OOZE_CUDA_SOLIDS_CUH

#include "cuda/lists.cuh"

namespace ooze
{

/* A shape whose pointers are to device memory, without its mesh. */
typedef OozeShape ShapeView;

/* A solid in a substep. */
struct SolidView {
    ShapeView shape;
    OozePose pose, previous; /* at the end of the substep, at its beginning */
    double friction;         /* of fluid; see ooze_solid_fluid_friction */
    double dry_friction, restitution;
    double stick_distance, stick_strength;
    bool collides, dynamic, sampled;       /* sampled: it has boundary particles */
    OozeBounds box;                        /* of the shape, in its frame */
    float low[3], high[3], travel, margin; /* see OozeSweptBounds */
};

/* Captured by loop bodies. */
struct SolidsView {
    const SolidView *items; /* device */
    int count;
};

/* Solids of a world on the device: shapes are copied once, poses when they have changed. Starts as
   zero. */
struct SentShape;
struct Solids {
    SentShape *shapes; /* host: shapes on the device */
    SolidView *sent;   /* host: copy of the device's `sent_count` solids; room for `capacity` */
    int sent_count, capacity;
    DeviceBuffer view_buffer;
    SolidsView view;
};
void solids_free(Gpu *gpu, Solids *solids);
/* For error messages. */
static inline uint64_t particles_of(const OozeStepContext *context)
{
    return context->particles ? ooze_particles_count(context->particles) : 0;
}
OozeStatus solids_send(Gpu *gpu, Solids *solids, const OozeStepContext *context, OozeError *error);
/* Copies a shape to the device; it must stay at its address, unchanged, until solids_free. */
OozeStatus shape_send(Gpu *gpu, Solids *solids, const OozeShape *shape, ShapeView *view,
                      OozeError *error);

/* Boundary particles: see OozeBoundary. In the order of their own grid, with one more element of
   volume 0. */
struct WallView {
    const float4 *position, *velocity, *normal;
    const float *volume;    /* m3, Akinci's */
    const uint16_t *solid;  /* index of the solid */
    const uint8_t *no_slip; /* infinite friction of its solid: no slip */
    uint32_t count;
};
struct WallSolid;
struct Walls {
    uint64_t count;
    bool moving; /* some sample has a velocity */
    Grid grid;
    WallView view;
    bool valid;     /* the rest is the result of an update without failure */
    double support; /* at the last update */
    OozePeriodic periodic;
    WallSolid *solids; /* host: `solid_count` of the last update, and as many of the present one */
    int solid_count;   /* 1 + the largest index of a solid with samples */
    PointBox *local_boxes; /* host: of each solid's samples, in its frame */
    /* in the order of OozeBoundary.local */
    DeviceBuffer local_buffer, local_normal_buffer, made_solid_buffer;
    DeviceBuffer pose_buffer, position_buffer, velocity_buffer, normal_buffer, volume_buffer,
        solid_buffer, no_slip_buffer;
};
void walls_free(Gpu *gpu, Walls *walls);
/* Places the samples at the poses of the solids and computes their volumes. `resampled`: the host's
   samples have changed. The result depends on the poses alone, as that of OozeBoundary. Does
   nothing where no solid has moved. */
OozeStatus walls_update(Gpu *gpu, Walls *walls, const OozeStepContext *context, bool resampled,
                        OozeError *error);
/* Moves the samples of dynamic solids (index_of >= 0, per solid; device) to the poses of `solids`,
   without sorting or measuring them again; the next update does. */
void walls_move_dynamic(Gpu *gpu, Walls *walls, const SolidsView &solids, const int32_t *index_of);

} // namespace ooze

#endif
