#include "solids/heightfield.h"
#include "base/fail.h"
OozeStatus ooze_heightfield_create(const OozeShapeDef *def, OozeAxis up, OozeHeightfield **field,
                                   OozeError *error)
{
    (void)def;
    (void)up;
    *field = NULL;
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, NULL, "height fields come next");
}
void ooze_heightfield_destroy(OozeHeightfield *field)
{
    (void)field;
}
uint64_t ooze_heightfield_bytes(const OozeHeightfield *field)
{
    (void)field;
    return 0;
}
double ooze_heightfield_distance(const OozeHeightfield *field, OozeVec3 point, OozeVec3 *normal)
{
    (void)field;
    *normal = point;
    return 0;
}
void ooze_heightfield_bounds(const OozeHeightfield *field, OozeVec3 *min, OozeVec3 *max)
{
    (void)field;
    (void)min;
    (void)max;
}
OozeStatus ooze_heightfield_triangulate(const OozeHeightfield *field, double edge, OozeMesh **mesh,
                                        OozeError *error)
{
    (void)field;
    (void)edge;
    *mesh = NULL;
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, NULL, "height fields come next");
}
