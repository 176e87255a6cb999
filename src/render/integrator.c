#include "render/integrator.h"

enum { DEPTH_MAX = 48, DEPTH_ROULETTE = 4, CROSSINGS_MAX = 32 };

#define FORWARD 0.4f /* mean cosine of scattering in a cloudy body */

typedef struct Path {
    OozeF3 origin, direction, throughput;
    OozeF3 vertex; /* where it was scattered last */
    float density; /* of taking this direction there; 0: a mirror, or the camera */
    bool soft;     /* was scattered: goes straight through clear bodies */
    bool seen;     /* straight from the camera */
    int inside;    /* skin of the body it is in, -1: air */
    int depth;
} Path;

typedef struct Walk {
    const OozeTracer *tracer;
    OozeSampler *sampler;
    OozeFeatures *features; /* NULL once filled */
    OozeF3 radiance;
} Walk;

static void add_light(Walk *walk, const Path *path, OozeF3 light)
{
    float most = walk->tracer->brightest, bright = f3_max(light);
    if (path->soft && most > 0.0f && bright > most) {
        light = f3_scale(light, most / bright);
    }
    walk->radiance = f3_add(walk->radiance, light);
}

/* The balance heuristic. */
static float balance(float own, float other)
{
    return own / (own + other);
}

static void tell(Walk *walk, OozeF3 albedo, OozeF3 normal, float distance)
{
    if (walk->features) {
        OozeFeatures *features = walk->features;
        features->albedo = f3(fminf(albedo.x, 1.0f), fminf(albedo.y, 1.0f), fminf(albedo.z, 1.0f));
        if (f3_dot(features->normal, features->normal) == 0.0f) {
            features->normal = normal;
            features->distance = distance;
        }
        walk->features = NULL;
    }
}

static OozeF3 beer(OozeF3 absorption, float distance)
{
    return f3_exp(f3_scale(absorption, -distance));
}

/* ---- light that comes straight --------------------------------------------------------------- */

static float straight_through(const OozeHit *hit, OozeF3 direction)
{
    float cosine = fabsf(f3_dot(direction, hit->normal));
    return 1.0f - ooze_fresnel(cosine, hit->skin->refraction);
}

OozeF3 ooze_trace_clear(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, float distance)
{
    float hair = ooze_stage_hair(tracer->stage), at = 0.0f;
    OozeF3 through = f3_all(1.0f);
    for (int i = 0; i < CROSSINGS_MAX; i++) {
        OozeHit hit;
        float near = at + hair;
        if (!ooze_stage_hit(tracer->stage, origin, direction, near, distance - hair, &hit)) {
            return through;
        }
        if (hit.skin->kind != OOZE_LOOK_CLEAR) {
            return f3_all(0.0f);
        }
        through = f3_scale(through, straight_through(&hit, direction));
        if (!hit.front) { /* the way up to here was inside */
            OozeF3 lost = f3_add(hit.skin->absorption, f3_all(hit.skin->scattering));
            through = f3_mul(through, beer(lost, hit.distance - at));
        }
        at = hit.distance;
    }
    return f3_all(0.0f);
}

typedef struct Aim {
    OozeF3 direction, light; /* light: radiance over density */
    float distance, density;
} Aim;

/* A point on a light; false where none shines this way. */
static bool aim(Walk *walk, OozeF3 point, Aim *aim_out)
{
    OozePair place = ooze_sampler_pair(walk->sampler), choice = ooze_sampler_pair(walk->sampler);
    OozeLightSample sample = ooze_lights_sample(walk->tracer->lights, point, place, choice.u);
    if (sample.density <= 0.0f) {
        return false;
    }
    aim_out->direction = sample.direction;
    aim_out->distance = sample.distance;
    aim_out->density = sample.density;
    aim_out->light = f3_scale(sample.radiance, 1.0f / sample.density);
    return true;
}

static OozeF3 come_through(const Walk *walk, OozeF3 point, const Aim *to)
{
    OozeF3 through = ooze_trace_clear(walk->tracer, point, to->direction, to->distance);
    return f3_mul(through, to->light);
}

/* ---- surfaces -------------------------------------------------------------------------------- */

typedef struct Frame {
    OozeF3 n, s, t;
} Frame;

static OozeF3 to_local(const Frame *frame, OozeF3 v)
{
    return f3(f3_dot(v, frame->s), f3_dot(v, frame->t), f3_dot(v, frame->n));
}

static OozeF3 to_world(const Frame *frame, OozeF3 v)
{
    return f3_madd(f3_madd(f3_scale(frame->s, v.x), v.y, frame->t), v.z, frame->n);
}

/* The smooth normal on the side of the ray, or the facet's where the smooth one looks away. */
static Frame frame_at(const OozeHit *hit, OozeF3 direction)
{
    Frame frame;
    float side = hit->front ? 1.0f : -1.0f;
    frame.n = f3_scale(hit->normal, side);
    if (f3_dot(frame.n, direction) >= -1e-3f) {
        frame.n = f3_scale(hit->facing, side);
    }
    f3_frame(frame.n, &frame.s, &frame.t);
    return frame;
}

static OozeF3 step_off(const Walk *walk, const OozeHit *hit, float side)
{
    return f3_madd(hit->point, side * ooze_stage_hair(walk->tracer->stage), hit->facing);
}

/* Light out of the inside of a translucent body leaves in all directions alike. */
static bool leave_translucent(Walk *walk, Path *path, const OozeHit *hit)
{
    Frame frame = {.n = hit->normal};
    if (f3_dot(hit->normal, hit->facing) <= 0.0f) {
        frame.n = hit->facing;
    }
    f3_frame(frame.n, &frame.s, &frame.t);
    OozeF3 point = step_off(walk, hit, 1.0f);
    Aim to;
    if (aim(walk, point, &to)) {
        float cosine = f3_dot(to.direction, frame.n);
        if (cosine > 0.0f && f3_dot(to.direction, hit->facing) > 0.0f) {
            float own = cosine / OOZE_PI_F;
            OozeF3 light = come_through(walk, point, &to);
            light = f3_scale(f3_mul(light, path->throughput), own * balance(to.density, own));
            path->soft = true;
            add_light(walk, path, light);
        }
    }
    OozeF3 out = ooze_sample_cosine(ooze_sampler_pair(walk->sampler));
    path->direction = to_world(&frame, out);
    path->density = out.z / OOZE_PI_F;
    path->origin = path->vertex = point;
    path->inside = -1;
    path->soft = true;
    return true;
}

/* Opaque and metal skins, and translucent ones from outside. */
static bool scatter_at(Walk *walk, Path *path, const OozeHit *hit)
{
    Frame frame = frame_at(hit, path->direction);
    float side = hit->front ? 1.0f : -1.0f;
    OozeF3 view = to_local(&frame, f3_scale(path->direction, -1.0f));
    view.z = fmaxf(view.z, 1e-4f);
    tell(walk, f3_mul(path->throughput, hit->color), frame.n, hit->distance);
    OozeF3 point = step_off(walk, hit, side);
    Aim to;
    if (aim(walk, point, &to)) {
        float own;
        OozeF3 light_local = to_local(&frame, to.direction);
        OozeF3 value = ooze_skin_value(hit->skin, hit->color, view, light_local, &own);
        if (f3_max(value) > 0.0f && side * f3_dot(to.direction, hit->facing) > 0.0f) {
            OozeF3 light = come_through(walk, point, &to);
            light = f3_mul(f3_mul(light, value), path->throughput);
            add_light(walk, path, f3_scale(light, balance(to.density, own)));
        }
    }
    OozePair random = ooze_sampler_pair(walk->sampler), choice = ooze_sampler_pair(walk->sampler);
    OozeScatter scatter = ooze_skin_sample(hit->skin, hit->color, view, random, choice);
    path->throughput = f3_mul(path->throughput, scatter.weight);
    path->direction = to_world(&frame, scatter.direction);
    path->density = scatter.density;
    float out = side * f3_dot(path->direction, hit->facing);
    if (scatter.enters) {
        path->inside = hit->skin_index;
        path->origin = step_off(walk, hit, -side);
        path->soft = true;
        return out < 0.0f && f3_max(path->throughput) > 0.0f;
    }
    path->origin = path->vertex = point;
    path->soft = path->soft || scatter.density > 0.0f;
    return out > 0.0f && f3_max(path->throughput) > 0.0f;
}

/* ---- clear bodies ---------------------------------------------------------------------------- */

/* A solid just behind where the path would leave the fluid: they touch, there is no air between. */
static bool touches_solid(const Walk *walk, const Path *path, const OozeHit *hit)
{
    float wet = walk->tracer->wet, hair = ooze_stage_hair(walk->tracer->stage);
    float cosine = fmaxf(fabsf(f3_dot(path->direction, hit->facing)), 0.25f);
    OozeHit next;
    return wet > 0.0f && hit->is_fluid &&
           ooze_stage_hit(walk->tracer->stage, hit->point, path->direction, hair, wet / cosine,
                          &next) &&
           !next.is_fluid && next.skin->kind != OOZE_LOOK_CLEAR;
}

static void go_straight(Walk *walk, Path *path, const OozeHit *hit)
{
    float side = f3_dot(path->direction, hit->facing) < 0.0f ? -1.0f : 1.0f;
    path->origin = step_off(walk, hit, side);
}

static void bounce(Walk *walk, Path *path, const OozeHit *hit, OozeF3 normal, float side)
{
    float along = f3_dot(path->direction, normal);
    OozeF3 out = f3_unit(f3_madd(path->direction, -2.0f * along, normal));
    if (side * f3_dot(out, hit->facing) <= 0.0f) { /* the smooth normal would send it in */
        out = f3_unit(
            f3_madd(path->direction, -2.0f * f3_dot(path->direction, hit->facing), hit->facing));
    }
    path->direction = out;
    path->origin = step_off(walk, hit, side);
}

static void follow(Walk *walk, Path path);

static bool cross_refracting(Walk *walk, Path *path, const OozeHit *hit)
{
    float side = hit->front ? 1.0f : -1.0f;
    float ratio = hit->front ? hit->skin->refraction : 1.0f / hit->skin->refraction;
    Frame frame = frame_at(hit, path->direction);
    OozeF3 normal = frame.n;
    if (hit->skin->alpha >= OOZE_SKIN_MIRROR) {
        OozeF3 view = to_local(&frame, f3_scale(path->direction, -1.0f));
        OozePair random = ooze_sampler_pair(walk->sampler);
        normal = to_world(&frame, ooze_facet(view, hit->skin->alpha, random));
    }
    OozeF3 in = f3_scale(path->direction, -1.0f), out;
    float reflected = ooze_fresnel(fmaxf(f3_dot(in, normal), 0.0f), ratio);
    bool passes = ooze_refract(in, normal, ratio, &out);
    if (passes && side * f3_dot(out, hit->facing) >= 0.0f) {
        passes = ooze_refract(in, f3_scale(hit->facing, side), ratio, &out);
    }
    reflected = passes ? reflected : 1.0f;
    if (path->seen &&
        passes) { /* both ways, each with its share: highlights do not depend on luck */
        Path mirrored = *path;
        mirrored.seen = false;
        mirrored.throughput = f3_scale(path->throughput, reflected);
        bounce(walk, &mirrored, hit, normal, side);
        OozeFeatures *features = walk->features;
        walk->features = NULL;
        follow(walk, mirrored);
        walk->features = features;
        path->throughput = f3_scale(path->throughput, 1.0f - reflected);
    } else if (ooze_sampler_pair(walk->sampler).u < reflected) {
        bounce(walk, path, hit, normal, side);
        return true;
    }
    path->direction = out;
    path->origin = step_off(walk, hit, -side);
    path->inside = hit->front ? hit->skin_index : -1;
    return true;
}

static bool cross_clear(Walk *walk, Path *path, const OozeHit *hit)
{
    if (walk->features && f3_dot(walk->features->normal, walk->features->normal) == 0.0f) {
        walk->features->normal = frame_at(hit, path->direction).n;
        walk->features->distance = hit->distance;
    }
    if (!hit->front && !path->soft && touches_solid(walk, path, hit)) {
        go_straight(walk, path, hit);
        return true;
    }
    if (!path->soft) {
        path->density = 0.0f;
        bool goes_on = cross_refracting(walk, path, hit);
        path->seen = false;
        return goes_on;
    }
    float through = straight_through(hit, path->direction);
    if (ooze_sampler_pair(walk->sampler).u < through) {
        go_straight(walk, path, hit);
        path->inside = hit->front ? hit->skin_index : -1;
    } else {
        bounce(walk, path, hit, frame_at(hit, path->direction).n, hit->front ? 1.0f : -1.0f);
        path->density = 0.0f;
    }
    return true;
}

/* ---- cloudy bodies --------------------------------------------------------------------------- */

/* Henyey and Greenstein's phase function. */
static float phase(float cosine)
{
    float d = 1.0f + FORWARD * FORWARD - 2.0f * FORWARD * cosine;
    return (1.0f - FORWARD * FORWARD) / (4.0f * OOZE_PI_F * d * sqrtf(d));
}

static OozeF3 sample_phase(OozeF3 direction, OozePair random)
{
    float s = (1.0f - FORWARD * FORWARD) / (1.0f - FORWARD + 2.0f * FORWARD * random.u);
    float z = (1.0f + FORWARD * FORWARD - s * s) / (2.0f * FORWARD);
    float r = sqrtf(fmaxf(0.0f, 1.0f - z * z)), phi = 2.0f * OOZE_PI_F * random.v;
    return f3_from_frame(direction, f3(r * cosf(phi), r * sinf(phi), z));
}

static void scatter_inside(Walk *walk, Path *path, OozeF3 point)
{
    tell(walk, path->throughput, f3_scale(path->direction, -1.0f), 0.0f);
    path->origin = path->vertex = point;
    Aim to;
    if (aim(walk, point, &to)) {
        float own = phase(f3_dot(path->direction, to.direction));
        OozeF3 light = come_through(walk, point, &to);
        light = f3_scale(f3_mul(light, path->throughput), own * balance(to.density, own));
        path->soft = true;
        add_light(walk, path, light);
    }
    OozeF3 out = sample_phase(path->direction, ooze_sampler_pair(walk->sampler));
    path->density = phase(f3_dot(path->direction, out));
    path->direction = out;
    path->soft = true;
    path->seen = false;
}

/* Takes away what the body absorbs; true where light was scattered before `distance`. */
static bool pass_inside(Walk *walk, Path *path, float distance)
{
    const OozeSkin *body = ooze_stage_skin(walk->tracer->stage, path->inside);
    if (body->kind == OOZE_LOOK_CLEAR && body->scattering > 0.0f) {
        float free = -logf(1.0f - ooze_sampler_pair(walk->sampler).u) / body->scattering;
        if (free < distance) {
            path->throughput = f3_mul(path->throughput, beer(body->absorption, free));
            scatter_inside(walk, path, f3_madd(path->origin, free, path->direction));
            return true;
        }
    }
    path->throughput = f3_mul(path->throughput, beer(body->absorption, distance));
    return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static float faded(const OozeTracer *tracer, const OozeHit *hit)
{
    if (!hit->is_plane || !(tracer->fade_to > 0.0f)) {
        return 0.0f;
    }
    float away = f3_length(f3_sub(hit->point, tracer->centre));
    return smoothstepf(tracer->fade_from, tracer->fade_to, away);
}

static void see_backdrop(Walk *walk, const Path *path, float share)
{
    OozeF3 light = ooze_lights_backdrop(walk->tracer->lights, path->direction);
    add_light(walk, path, f3_scale(f3_mul(light, path->throughput), share));
}

/* Whether the way ends at a light. The camera does not see squares. */
static bool see_light(Walk *walk, const Path *path, float far)
{
    OozeF3 radiance, from = path->density > 0.0f ? path->vertex : path->origin;
    float density, before = f3_length(f3_sub(path->origin, from)); /* went straight up to here */
    if (path->seen || !ooze_lights_hit(walk->tracer->lights, from, path->direction, before + far,
                                       &radiance, &density)) {
        return false;
    }
    float share = path->density > 0.0f ? balance(path->density, density) : 1.0f;
    add_light(walk, path, f3_scale(f3_mul(radiance, path->throughput), share));
    return true;
}

/* What is left of a path that brings little goes on rarely, and then counts for more. */
static bool survives(Walk *walk, Path *path)
{
    float most = f3_max(path->throughput);
    if (++path->depth < DEPTH_ROULETTE || most >= 1.0f) {
        return path->depth < DEPTH_MAX && most > 0.0f;
    }
    float chance = fminf(most, 0.95f);
    if (path->depth >= DEPTH_MAX || ooze_sampler_pair(walk->sampler).u >= chance) {
        return false;
    }
    path->throughput = f3_scale(path->throughput, 1.0f / chance);
    return true;
}

static bool meet(Walk *walk, Path *path, OozeHit *hit)
{
    const OozeSkin *skin = hit->skin;
    if (skin->kind == OOZE_LOOK_CLEAR) {
        return cross_clear(walk, path, hit);
    }
    if (skin->kind == OOZE_LOOK_TRANSLUCENT && !hit->front && path->inside == hit->skin_index) {
        return leave_translucent(walk, path, hit);
    }
    bool goes_on = scatter_at(walk, path, hit);
    path->seen = false;
    return goes_on;
}

static void follow(Walk *walk, Path path)
{
    const OozeTracer *tracer = walk->tracer;
    do {
        OozeHit hit;
        bool any = ooze_stage_hit(tracer->stage, path.origin, path.direction, 0.0f, INFINITY, &hit);
        /* A clear body met from behind was around the path, wherever it began. */
        if (any && !hit.front && hit.skin->kind == OOZE_LOOK_CLEAR && path.inside < 0) {
            path.inside = hit.skin_index;
        }
        if (any && path.inside >= 0 && pass_inside(walk, &path, hit.distance)) {
            continue;
        }
        if (see_light(walk, &path, any ? hit.distance : INFINITY)) {
            tell(walk, path.throughput, f3_scale(path.direction, -1.0f), 0.0f);
            return;
        }
        float gone = any ? faded(tracer, &hit) : 1.0f;
        if (gone > 0.0f) {
            see_backdrop(walk, &path, gone);
        }
        if (gone >= 1.0f) {
            tell(walk, path.throughput, f3_scale(path.direction, -1.0f), 0.0f);
            return;
        }
        path.throughput = f3_scale(path.throughput, 1.0f - gone);
        if (!meet(walk, &path, &hit)) {
            return;
        }
    } while (survives(walk, &path));
}

OozeF3 ooze_trace(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, OozeSampler *sampler,
                  OozeFeatures *features)
{
    *features = (OozeFeatures){.distance = 0.0f};
    Walk walk = {.tracer = tracer, .sampler = sampler, .features = features};
    follow(&walk, (Path){.origin = origin,
                         .direction = direction,
                         .throughput = f3_all(1.0f),
                         .seen = true,
                         .inside = -1});
    return walk.radiance;
}
