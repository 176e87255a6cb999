/* Solids on the device: signed distances, contacts, and the samples of their
   surfaces. */
#ifndef OOZE_CUDA_SOLIDS_CUH
#define OOZE_CUDA_SOLIDS_CUH

#include "cuda/lists.cuh"

namespace ooze
{

/* A shape whose pointers are to device memory, without its mesh. */
typedef OozeShape ShapeView;

/* A solid of a substep; with the box around it and what its surface and distances may be off by,
   see OozeBroadPhaseSolid. */
struct SolidView {
    ShapeView shape;
    OozePose pose, previous; /* at the end of the substep, at its beginning */
    double friction, restitution;
    bool collides;
    float low[3], high[3];
    float extra, spare;
};

/* To be captured by bodies. */
struct SolidsView {
    const SolidView *items; /* device */
    int count;
};

/* Solids of a world on the device: shapes are sent once, poses when they have changed. Starts as
   zero. */
struct SentShape;
struct Solids {
    SentShape *shapes; /* host: those that were sent, by their address */
    SolidView *sent;   /* host: what the device has, of `sent_count` solids; room for `places` */
    int sent_count, places;
    DeviceBuffer view_buffer;
    SolidsView view;
};
void solids_free(Gpu *gpu, Solids *solids);
/* For errors that say how many would fit. */
static inline uint64_t particles_of(const OozeStepContext *context)
{
    return context->particles ? ooze_particles_count(context->particles) : 0;
}
OozeStatus solids_send(Gpu *gpu, Solids *solids, const OozeStepContext *context, OozeError *error);
/* A shape as device code sees it; its address and all it is made of must stay until solids_free. */
OozeStatus shape_send(Gpu *gpu, Solids *solids, const OozeShape *shape, ShapeView *view,
                      OozeError *error);

/* Boundary particles: see OozeBoundary, of which `local` and `local_solid` are the source. All in
   the order of their own grid, with one element more that weighs nothing. */
struct WallView {
    const float4 *position, *velocity;
    const float *volume;   /* m3, Akinci's */
    const uint16_t *solid; /* index of the solid */
    const uint8_t *clings; /* fluid never slips on its solid: infinite friction */
    uint32_t count;
};
struct WallSolid;
struct Walls {
    uint64_t count;
    bool moving; /* some sample has a velocity */
    Grid grid;
    WallView view;
    bool fresh; /* everything below and in the view stands as the solids did at the last update */
    double support; /* and these are those of then */
    OozePeriodic periodic;
    WallSolid *solids; /* host: twice `solid_count`, those of then and those of now */
    int solid_count;   /* that have samples, and those before them */
    bool stir;         /* some solid with samples may move in time */
    Lists lists;       /* sample to sample, for their volumes: kept while solids stir */
    DeviceBuffer local_buffer, made_solid_buffer; /* in the order they were made */
    DeviceBuffer pose_buffer, position_buffer, velocity_buffer, volume_buffer, solid_buffer,
        clings_buffer;
};
void walls_free(Gpu *gpu, Walls *walls);
/* Samples where the solids of the context are, with their volumes. `anew`: the host's samples have
   changed. Depends on where solids are and on nothing else, as OozeBoundary does. Waits where a
   solid has moved, for the sort and the lists; does nothing where none has. */
OozeStatus walls_update(Gpu *gpu, Walls *walls, const OozeStepContext *context, bool anew,
                        OozeError *error);

} // namespace ooze

#endif
