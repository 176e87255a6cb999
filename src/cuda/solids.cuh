/* Solids as device code asks for them: signed distances, contacts, and the samples of their surfaces. */
#ifndef OOZE_CUDA_SOLIDS_CUH
#define OOZE_CUDA_SOLIDS_CUH

#include "cuda/lists.cuh"

namespace ooze
{

/* A shape, with what it is made of in device memory: see struct OozeShape, of which it is a flat copy. */
struct ShapeView {
    int kind; /* OozeShapeKind */
    int up;   /* OozeAxis */
    bool inverted;
    OozeVec3 half, normal;
    double radius, tube_radius, height;
    const void *field; /* device: height field */
    const void *grid;  /* device: distance grid */
};

/* A solid of a stroke; with the box around it and what its surface and distances may be off by, see OozeNearbySolid. */
struct SolidView {
    ShapeView shape;
    OozePose pose, previous; /* at the end of the stroke, at its beginning */
    double friction, restitution;
    bool collides;
    float low[3], high[3];
    float extra, spare;
};

/* Both in shape_distance.cuh: as ooze_solid_contact and ooze_solid_distance. */
OOZE_DEVICE OozeContact solid_contact(const SolidView &solid, OozeVec3 world_point);
OOZE_DEVICE double solid_distance(const SolidView &solid, OozeVec3 world_point, OozeVec3 *normal);
/* False: the solid does not collide, or is farther from x than `reach`, and with `moving` also than reach and the way
   of its surface in the stroke, by its box alone. */
OOZE_DEVICE bool solid_near(const SolidView &solid, float4 x, float reach, bool moving);

/* To be captured by bodies. */
struct SolidsView {
    const SolidView *items; /* device */
    int count;
};

/* Solids of a world on the device: shapes are sent once, poses for every stroke. Starts as zero. */
struct Solids {
    int count;
    struct SolidShape *shapes; /* host: what was sent for each, by the address of its shape */
    Room view_room;
    SolidsView view;
};
void solids_free(Machine *m, Solids *solids);
OozeStatus solids_send(Machine *m, Solids *solids, const OozeStepContext *context,
                       OozeError *error);

/* Boundary particles: see OozeBoundary, of which `local` and `local_solid` are the source. All in the order of their
   own grid, with one element more that weighs nothing. */
struct WallView {
    const float4 *position, *velocity;
    const float *volume;   /* m3, Akinci's */
    const uint16_t *solid; /* index of the solid */
    const uint8_t *clings; /* fluid never slips on its solid: infinite friction */
    uint32_t count;
};
struct Walls {
    uint64_t count;
    bool moving; /* some sample has a velocity */
    Grid grid;
    WallView view;
    Room local_room, position_room, velocity_room, volume_room, solid_room, clings_room,
        placed_room;
    const void *made_of;        /* what the samples were sent from last */
    uint64_t made_count, poses; /* and a hash of the poses they were placed at */
    Lists lists;                /* sample to sample, for their volumes */
};
void walls_free(Machine *m, Walls *walls);
/* Samples where the solids are now, with their volumes. `anew`: the host's samples have changed. */
OozeStatus walls_update(Machine *m, Walls *walls, const OozeStepContext *context, bool anew,
                        OozeError *error);

} // namespace ooze

#endif
