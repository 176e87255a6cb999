#include "cli/check_walls.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "solids/dynamic_formula.h"
#include "world/world.h"

enum { NAMES_MAX = 6 }; /* in a line */

/* Friction on a solid of fluid, or of dynamic solids and rigid bodies. */
typedef double (*Friction)(const OozeWorld *world, int solid);

static double of_fluid(const OozeWorld *world, int solid)
{
    const OozeSolid *wall = &world->solids.items[solid];
    return world->method->wall_friction ? world->method->wall_friction(wall)
                                        : ooze_solid_fluid_friction(wall);
}

static double of_bodies(const OozeWorld *world, int solid)
{
    return ooze_solid_dry_friction(&world->solids.items[solid]);
}

/* What flows: the material, where there is one, else "fluid"; NULL: nothing does. */
static const char *find_fluid(const OozeSceneDef *def)
{
    const char *found = NULL;
    for (int i = 0; i < def->fluid_count + def->emitter_count; i++) {
        bool fluid = i < def->fluid_count;
        const char *material =
            fluid ? def->fluids[i].material : def->emitters[i - def->fluid_count].material;
        if (!fluid || def->fluids[i].def.body != OOZE_BODY_RIGID) {
            found = found && strcmp(found, material) != 0 ? "fluid" : material;
        }
    }
    return found;
}

static bool has_bodies(const OozeSceneDef *def)
{
    bool found = false;
    for (int i = 0; i < def->fluid_count; i++) {
        found = found || def->fluids[i].def.body == OOZE_BODY_RIGID;
    }
    for (int i = 0; i < def->solid_count; i++) {
        found = found || def->solids[i].density > 0.0;
    }
    return found;
}

/* The solids from `first` on with the same friction as it. */
static void write_names(OozeText *out, const OozeWorld *world, Friction friction, int first)
{
    double same = friction(world, first);
    int count = 0, written = 0;
    for (int i = first; i < world->solids.count; i++) {
        count += ooze_solid_collides(&world->solids.items[i]) && friction(world, i) == same;
    }
    int named = count > NAMES_MAX ? NAMES_MAX - 1 : count;
    for (int i = first; i < world->solids.count && written < named; i++) {
        if (ooze_solid_collides(&world->solids.items[i]) && friction(world, i) == same) {
            const char *before = written == 0 ? "" : written == count - 1 ? " and " : ", ";
            ooze_text_append(out, "%s'%s'", before, world->solids.items[i].name);
            written++;
        }
    }
    if (count > named) {
        ooze_text_append(out, " and %d others", count - named);
    }
}

/* A line for each friction that occurs. */
static void write_lines(OozeText *out, const OozeWorld *world, Friction friction, const char *who)
{
    bool bodies = friction == of_bodies;
    const char *stick = bodies ? "stick" : "sticks", *slip = bodies ? "slide" : "slips";
    for (int i = 0; i < world->solids.count; i++) {
        bool again = !ooze_solid_collides(&world->solids.items[i]);
        double mu = friction(world, i);
        for (int k = 0; k < i && !again; k++) {
            again = ooze_solid_collides(&world->solids.items[k]) && friction(world, k) == mu;
        }
        if (again) {
            continue;
        }
        char number[OOZE_NUMBER_MAX];
        const char *how = isinf(mu) ? "to" : mu == 0.0 ? "freely on" : "on";
        ooze_text_append(out, "  %s %s %s ", who, isinf(mu) ? stick : slip, how);
        write_names(out, world, friction, i);
        if (isfinite(mu) && mu > 0.0) {
            ooze_text_append(out, " with friction %s", ooze_number_text(mu, number));
        }
        ooze_text_append(out, "\n");
    }
}

void ooze_check_walls_text(OozeText *out, const OozeScene *scene, const OozeWorld *world)
{
    const char *fluid = find_fluid(&scene->def);
    bool bodies = has_bodies(&scene->def), walls = false;
    for (int i = 0; i < world->solids.count; i++) {
        walls = walls || ooze_solid_collides(&world->solids.items[i]);
    }
    if (walls && (fluid || bodies)) {
        ooze_text_append(out, "walls\n");
    }
    if (fluid) {
        write_lines(out, world, of_fluid, fluid);
    }
    if (bodies) {
        write_lines(out, world, of_bodies, "bodies");
    }
}

void ooze_check_walls_json(OozeText *out, const OozeWorld *world)
{
    int written = 0;
    ooze_text_append(out, ",\n  \"walls\": [");
    for (int i = 0; i < world->solids.count; i++) {
        if (ooze_solid_collides(&world->solids.items[i])) {
            double mu = of_fluid(world, i);
            ooze_text_append(out, "%s\n    {\"solid\": ", written++ ? "," : "");
            ooze_json_text(out, world->solids.items[i].name);
            ooze_text_append(out, ", \"sticks\": %s", isinf(mu) ? "true" : "false");
            ooze_json_member(out, ", ", "friction", mu);
            ooze_text_append(out, "}");
        }
    }
    ooze_text_append(out, "]");
}
