/* A handful of particles dropped on a floor: the whole API in thirty lines. */
#include <ooze/ooze.h>
#include <stdio.h>

int main(void)
{
    OozeError error;
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.02;
    if (ooze_world_create(&def, &world, &error)) {
        return printf("%s (%s)\n", error.message, error.hint), 1;
    }
    OozeMaterialId honey;
    OozeMaterialDef material = ooze_material_def_default();
    OozeFluidDef ball = ooze_fluid_def_default();
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.1;
    ball.shape.position.y = 0.5;
    if (ooze_world_add_material(world, &material, &honey, &error) ||
        (ball.material = honey, ooze_world_add_fluid(world, &ball, NULL, &error)) ||
        ooze_world_add_solid(world, &floor, NULL, &error) ||
        ooze_world_advance(world, 1.0, NULL, NULL, &error)) {
        return printf("%s (%s)\n", error.message, error.hint), 1;
    }
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    printf("%llu particles after %g s, the first at height %.3f m\n",
           (unsigned long long)frame->particle_count, frame->time,
           ooze_field_value(position, 0, 1));
    ooze_world_destroy(world);
    return 0;
}
