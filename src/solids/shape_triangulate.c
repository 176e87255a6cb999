/* Triangles of the primitive shapes: boxes, open boxes, planes within a box, and shapes of
   revolution. */
#include "base/fail.h"
#include "mesh/refine.h"
#include "mesh/revolve.h"
#include "solids/primitive_formula.h"

static const double pi = 3.14159265358979323846;

/* Across and along steps of edge / sqrt(2): no diagonal is longer than edge. */
static double step_of(double edge)
{
    return edge / sqrt(2.0);
}

/* ---- box ------------------------------------------------------------------------------------- */

/* The i-th of n + 1 coordinates from -half to half, with the same bits on every face. */
static double coordinate_of(uint64_t i, uint64_t n, double half)
{
    return i == n ? half : -half + 2.0 * half * ((double)i / (double)n);
}

/* Triangles of a face with (across + 1) (along + 1) vertices, row by row from `first`. */
static OozeStatus add_quads(OozeMeshBuild *build, uint32_t first, uint64_t across, uint64_t along,
                            bool positive, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t j = 0; !status && j < along; j++) {
        for (uint64_t i = 0; !status && i < across; i++) {
            uint32_t a = first + (uint32_t)(j * (across + 1) + i), b = a + 1;
            uint32_t d = a + (uint32_t)across + 1, c = d + 1;
            status = ooze_mesh_build_triangle(build, a, positive ? b : c, positive ? c : b, error);
            if (!status) {
                status =
                    ooze_mesh_build_triangle(build, a, positive ? c : d, positive ? d : c, error);
            }
        }
    }
    return status;
}

static OozeStatus add_face(OozeMeshBuild *build, OozeVec3 half, int axis, bool positive,
                           const uint64_t steps[3], OozeError *error)
{
    int one = (axis + 1) % 3, two = (axis + 2) % 3;
    double halves[3] = {half.x, half.y, half.z}, place[3];
    uint64_t across = steps[one], along = steps[two];
    uint32_t first = (uint32_t)build->vertex_count;
    place[axis] = positive ? halves[axis] : -halves[axis];
    OozeStatus status = OOZE_OK;
    for (uint64_t j = 0; !status && j <= along; j++) {
        for (uint64_t i = 0; !status && i <= across; i++) {
            place[one] = coordinate_of(i, across, halves[one]);
            place[two] = coordinate_of(j, along, halves[two]);
            status = ooze_mesh_build_vertex(build, vec3(place[0], place[1], place[2]), error);
        }
    }
    return status ? status : add_quads(build, first, across, along, positive, error);
}

static OozeStatus triangulate_box(OozeVec3 half, double edge, OozeMesh **mesh, OozeError *error)
{
    double halves[3] = {half.x, half.y, half.z}, step = step_of(edge);
    uint64_t steps[3];
    for (int k = 0; k < 3; k++) {
        double n = ceil(2.0 * halves[k] / step * (1.0 - 1e-12));
        steps[k] = n > 1.0 ? (uint64_t)n : 1;
    }
    OozeMeshBuild build = {.name = "the box"};
    OozeStatus status = OOZE_OK;
    for (int face = 0; !status && face < 6; face++) {
        status = add_face(&build, half, face / 2, face % 2 == 0, steps, error);
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}

/* ---- open box -------------------------------------------------------------------------------- */

/* Cells between the planes of the outer and inner faces; axis 2 is up. */
typedef struct BoxCells {
    double cuts[3][4];    /* ascending; of the third axis three are used */
    uint64_t steps[3][3]; /* of each interval: opposite faces have the same vertices */
    OozeAxis up;
} BoxCells;

/* The middle cell of the upper layer is the cavity; cells beyond the ends are outside. */
static bool is_wall(const int cell[3])
{
    bool outside =
        cell[0] < 0 || cell[0] > 2 || cell[1] < 0 || cell[1] > 2 || cell[2] < 0 || cell[2] > 1;
    return !outside && !(cell[0] == 1 && cell[1] == 1 && cell[2] == 1);
}

/* One face of a cell, facing along `axis` or against it. */
static OozeStatus add_cell_face(OozeMeshBuild *build, const BoxCells *cells, const int cell[3],
                                int axis, bool positive, OozeError *error)
{
    int one = (axis + 1) % 3, two = (axis + 2) % 3;
    const double *u = &cells->cuts[one][cell[one]], *v = &cells->cuts[two][cell[two]];
    uint64_t across = cells->steps[one][cell[one]], along = cells->steps[two][cell[two]];
    uint32_t first = (uint32_t)build->vertex_count;
    double place[3];
    place[axis] = cells->cuts[axis][cell[axis] + positive];
    OozeStatus status = OOZE_OK;
    for (uint64_t j = 0; !status && j <= along; j++) {
        for (uint64_t i = 0; !status && i <= across; i++) {
            place[one] = i == across ? u[1] : u[0] + (u[1] - u[0]) * ((double)i / (double)across);
            place[two] = j == along ? v[1] : v[0] + (v[1] - v[0]) * ((double)j / (double)along);
            OozeVec3 upright = vec3(place[0], place[1], place[2]);
            status = ooze_mesh_build_vertex(build, ooze_from_upright(cells->up, upright), error);
        }
    }
    return status ? status : add_quads(build, first, across, along, positive, error);
}

static OozeStatus triangulate_open_box(const OozeShape *shape, double edge, OozeMesh **mesh,
                                       OozeError *error)
{
    OozeVec3 half = ooze_to_upright(shape->up, shape->half), in = shape->cavity;
    BoxCells cells = {.cuts = {{-half.x, -in.x, in.x, half.x},
                               {-half.y, -in.y, in.y, half.y},
                               {0.0, in.z, 2.0 * half.z}},
                      .up = shape->up};
    for (int k = 0; k < 9; k++) {
        const double *cut = &cells.cuts[k / 3][k % 3];
        double n = k < 8 ? ceil((cut[1] - cut[0]) / step_of(edge) * (1.0 - 1e-12)) : 1.0;
        cells.steps[k / 3][k % 3] = n > 1.0 ? (uint64_t)n : 1;
    }
    OozeMeshBuild build = {.name = "the open box"};
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < 18 * 6 && !status; k++) {
        int cell[3] = {k / 6 % 3, k / 18 % 3, k / 54}, axis = k % 3;
        bool positive = k / 3 % 2 == 0;
        int next[3] = {cell[0], cell[1], cell[2]};
        next[axis] += positive ? 1 : -1;
        if (is_wall(cell) && !is_wall(next)) {
            status = add_cell_face(&build, &cells, cell, axis, positive, error);
        }
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    return ooze_mesh_build_finish(&build, mesh, error);
}

/* ---- plane ----------------------------------------------------------------------------------- */

enum { POLYGON_MAX = 16 };

/* Keeps the part of a polygon where sign (p[axis] - limit) <= 0. */
static int clip_polygon(OozeVec3 *polygon, int count, int axis, double sign, double limit)
{
    OozeVec3 kept[POLYGON_MAX];
    int kept_count = 0;
    for (int i = 0; i < count; i++) {
        OozeVec3 a = polygon[i], b = polygon[(i + 1) % count];
        double da = sign * (vec3_component(a, axis) - limit);
        double db = sign * (vec3_component(b, axis) - limit);
        if (da <= 0.0 && kept_count < POLYGON_MAX) {
            kept[kept_count++] = a;
        }
        if ((da < 0.0) != (db < 0.0) && da != 0.0 && db != 0.0 && kept_count < POLYGON_MAX) {
            kept[kept_count++] = vec3_madd(a, da / (da - db), vec3_sub(b, a));
        }
    }
    for (int i = 0; i < kept_count; i++) {
        polygon[i] = kept[i];
    }
    return kept_count;
}

/* The plane within the bounds, anticlockwise about its normal. */
static int plane_polygon(OozeVec3 normal, const OozeBounds *clip, OozeVec3 *polygon)
{
    OozeVec3 middle = vec3_scale(vec3_add(clip->min, clip->max), 0.5);
    double reach = vec3_length(vec3_sub(clip->max, clip->min));
    OozeVec3 centre = vec3_madd(middle, -vec3_dot(normal, middle), normal);
    OozeVec3 other = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    OozeVec3 u = vec3_unit(vec3_cross(other, normal), other), v = vec3_cross(normal, u);
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int count = 4;
    for (int k = 0; k < 4; k++) {
        polygon[k] = vec3_madd(vec3_madd(centre, reach * corner[k][0], u), reach * corner[k][1], v);
    }
    for (int axis = 0; axis < 3 && count > 0; axis++) {
        count = clip_polygon(polygon, count, axis, 1.0, vec3_component(clip->max, axis));
        count = clip_polygon(polygon, count, axis, -1.0, vec3_component(clip->min, axis));
    }
    return count;
}

static OozeStatus triangulate_plane(OozeVec3 normal, double edge, const OozeBounds *clip,
                                    OozeMesh **mesh, OozeError *error)
{
    if (!clip || !vec3_is_finite(clip->min) || !vec3_is_finite(clip->max)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "say where it ends",
                         "an infinite plane cannot be triangulated without finite bounds");
    }
    OozeVec3 polygon[POLYGON_MAX];
    int count = plane_polygon(normal, clip, polygon);
    OozeMeshBuild build = {.name = "the plane"};
    OozeVec3 middle = {0};
    OozeStatus status = count < 3 ? OOZE_OK : ooze_mesh_build_reserve(&build, 1, 1, error);
    for (int i = 0; !status && i < count; i++) {
        middle = vec3_madd(middle, 1.0 / count, polygon[i]);
        status = ooze_mesh_build_vertex(&build, polygon[i], error);
    }
    if (!status && count >= 3) {
        status = ooze_mesh_build_vertex(&build, middle, error);
    }
    for (int i = 0; !status && count >= 3 && i < count; i++) {
        status = ooze_mesh_build_triangle(&build, (uint32_t)count, (uint32_t)i,
                                          (uint32_t)((i + 1) % count), error);
    }
    if (!status &&
        count < 3) { /* the plane does not intersect the bounds: no triangles, and no error */
        ooze_mesh_build_free(&build);
        return ooze_mesh_create_empty(mesh, error);
    }
    if (status) {
        ooze_mesh_build_free(&build);
        return status;
    }
    status = ooze_mesh_build_finish(&build, mesh, error);
    return status ? status : ooze_mesh_refine(mesh, edge, error);
}

/* ---- shapes of revolution -------------------------------------------------------------------- */

static void draw_bowl(const OozeShape *shape, double step, OozeProfile *profile)
{
    double outer = ooze_bowl_sphere(shape->radius, shape->height);
    double inner = outer - shape->thickness, rim = shape->height - outer;
    double inner_edge = sqrt(inner * inner - rim * rim);
    OozeProfilePoint centre = {0.0, outer};
    ooze_profile_arc(profile, centre, outer, -0.5 * pi, atan2(rim, shape->radius), step);
    ooze_profile_line(profile, inner_edge, shape->height, step);
    ooze_profile_arc(profile, centre, inner, atan2(rim, inner_edge), -0.5 * pi, step);
}

static void draw_profile(const OozeShape *shape, double step, OozeProfile *profile)
{
    double r = shape->radius, h = shape->height, end = 0.5 * h;
    switch (shape->kind) {
    case OOZE_SHAPE_SPHERE:
        ooze_profile_arc(profile, (OozeProfilePoint){0, 0}, r, -0.5 * pi, 0.5 * pi, step);
        break;
    case OOZE_SHAPE_CAPSULE:
        ooze_profile_arc(profile, (OozeProfilePoint){0, -end}, r, -0.5 * pi, 0.0, step);
        ooze_profile_line(profile, r, end, step);
        ooze_profile_arc(profile, (OozeProfilePoint){0, end}, r, 0.0, 0.5 * pi, step);
        break;
    case OOZE_SHAPE_CYLINDER:
        ooze_profile_begin(profile, 0.0, -end);
        ooze_profile_line(profile, r, -end, step);
        ooze_profile_line(profile, r, end, step);
        ooze_profile_line(profile, 0.0, end, step);
        break;
    case OOZE_SHAPE_CONE:
        ooze_profile_begin(profile, 0.0, 0.0);
        ooze_profile_line(profile, r, 0.0, step);
        ooze_profile_line(profile, 0.0, h, step);
        break;
    case OOZE_SHAPE_OPEN_CYLINDER:
        ooze_profile_begin(profile, 0.0, 0.0);
        ooze_profile_line(profile, r, 0.0, step);
        ooze_profile_line(profile, r, h, step);
        ooze_profile_line(profile, shape->cavity.x, h, step);
        ooze_profile_line(profile, shape->cavity.x, shape->cavity.z, step);
        ooze_profile_line(profile, 0.0, shape->cavity.z, step);
        break;
    case OOZE_SHAPE_BOWL:
        draw_bowl(shape, step, profile);
        break;
    default: /* torus: the last point of the full turn is the first again */
        ooze_profile_arc(profile, (OozeProfilePoint){r, 0}, shape->tube_radius, 0.0, 2.0 * pi,
                         step);
        profile->count -= profile->count > 0;
        profile->closed = true;
        break;
    }
}

OozeStatus ooze_primitive_triangulate(const OozeShape *shape, double edge, const OozeBounds *clip,
                                      OozeMesh **mesh, OozeError *error)
{
    double r = shape->radius, h = shape->height;
    OozeVec3 s = shape->half;
    double area = 0.0;
    switch (shape->kind) {
    case OOZE_SHAPE_PLANE:
        break; /* refining checks it */
    case OOZE_SHAPE_BOX:
        area = 8.0 * (s.x * s.y + s.y * s.z + s.z * s.x);
        break;
    case OOZE_SHAPE_OPEN_BOX: /* no more than twice that of the box */
        area = 16.0 * (s.x * s.y + s.y * s.z + s.z * s.x);
        break;
    case OOZE_SHAPE_OPEN_CYLINDER:
        area = 4.0 * pi * r * (r + h);
        break;
    case OOZE_SHAPE_BOWL: /* both sides of the cap of a sphere, and the rim */
        area = 4.0 * pi * ooze_bowl_sphere(r, h) * h + pi * r * r;
        break;
    case OOZE_SHAPE_TORUS:
        area = 4.0 * pi * pi * r * shape->tube_radius;
        break;
    default: /* no smaller than any of the round shapes */
        area = 4.0 * pi * r * r + 2.0 * pi * r * h;
        break;
    }
    OozeStatus status = ooze_mesh_check_size(area, edge, error);
    if (status) {
        return status;
    }
    if (shape->kind == OOZE_SHAPE_PLANE) {
        return triangulate_plane(shape->normal, edge, clip, mesh, error);
    }
    if (shape->kind == OOZE_SHAPE_BOX) {
        return triangulate_box(shape->half, edge, mesh, error);
    }
    if (shape->kind == OOZE_SHAPE_OPEN_BOX) {
        return triangulate_open_box(shape, edge, mesh, error);
    }
    OozeProfile profile = {0};
    draw_profile(shape, step_of(edge), &profile);
    status = ooze_mesh_revolve(&profile, shape->up, step_of(edge), mesh, error);
    ooze_profile_free(&profile);
    return status;
}
