/* What large scenes gather in iterations, in few bytes: loops over neighbours are bound by how many bytes they load.

   Places are counted in 2^21 steps of the fluid's box. Vectors and fluxes share an exponent among the numbers of a
   particle. A direction of the solve is rounded before it is used for anything, so that nothing is lost by it; fluxes are
   rounded to 2^-20 of the largest, the same for both ends of an edge, and only those of directions: residuals are found
   in full. */
#ifndef OOZE_CUDA_CONFORMATION_PACKED_CUH
#define OOZE_CUDA_CONFORMATION_PACKED_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* To be captured. `places` NULL: too few particles, or a periodic box. */
struct PackView {
    uint2 *places; /* n + 1; the highest bit: what fills up lists */
    uint4 *going;  /* n + 1: a place, and a direction of the solve */
    float low[3], step, inverse;
};

OOZE_DEVICE float bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

OOZE_DEVICE uint32_t float_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 32 bits of a number of 64, from bit k on. */
OOZE_DEVICE uint32_t bits_from(uint32_t low, uint32_t high, int k)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> k);
}

/* 2^23 + a, less what is taken off: exact for whole numbers below 2^23, and no conversion. */
OOZE_DEVICE float whole(uint32_t a, float less)
{
    return bits_to_float(a | 0x4b000000u) - less;
}

/* ---- places ---- */

OOZE_DEVICE uint2 place_pack(const PackView &p, float4 x)
{
    const float most = 2097151.0f;
    uint64_t a = (uint64_t)fminf(fmaxf((x.x - p.low[0]) * p.inverse, 0.0f), most);
    uint64_t b = (uint64_t)fminf(fmaxf((x.y - p.low[1]) * p.inverse, 0.0f), most);
    uint64_t c = (uint64_t)fminf(fmaxf((x.z - p.low[2]) * p.inverse, 0.0f), most);
    uint64_t all = a | b << 21 | c << 42 | (x.w > 0.0f ? 1ull << 63 : 0);
    uint2 packed = {(uint32_t)all, (uint32_t)(all >> 32)};
    return packed;
}

/* In steps; the last lane as in StepView.x0. */
OOZE_DEVICE float4 place_get(uint2 p)
{
    const float none = 8388608.0f;
    return make_float4(whole(p.x & 0x1fffffu, none),
                       whole(bits_from(p.x, p.y, 21) & 0x1fffffu, none),
                       whole(p.y >> 10 & 0x1fffffu, none), p.y >> 31 ? OOZE_DUMMY_FAR : 0.0f);
}

/* ---- numbers with one exponent ---- */

/* The exponent that the largest of some numbers stays below, as a float has it; 0 where they are too small to tell. */
OOZE_DEVICE uint32_t exponent_above(float largest)
{
    uint32_t e = (float_to_bits(largest) >> 23) + 1;
    return e > 40 && e < 255 ? e : 0;
}

/* 2^(e - 127 - digits), and its inverse. */
OOZE_DEVICE float unit_of(uint32_t e, int digits)
{
    return e ? bits_to_float((e - (uint32_t)digits) << 23) : 0.0f;
}
OOZE_DEVICE float per_unit(uint32_t e, int digits)
{
    return e ? bits_to_float((254u + (uint32_t)digits - e) << 23) : 0.0f;
}

/* value in units, offset to be positive, in digits + 1 bits. */
OOZE_DEVICE uint32_t digits_of(float value, float per, int digits)
{
    float most = (float)((1 << digits) - 1);
    return (uint32_t)((int32_t)rintf(fminf(fmaxf(value * per, -most), most)) + (1 << digits));
}

/* ---- directions: 3 numbers of 18 bits ---- */

struct Direction {
    float4 place; /* in steps */
    float x, y, z, unit;
};

OOZE_DEVICE uint4 going_pack(uint2 place, float4 v)
{
    uint32_t e = exponent_above(fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
    float per = per_unit(e, 17);
    uint64_t all = (uint64_t)digits_of(v.x, per, 17) | (uint64_t)digits_of(v.y, per, 17) << 18 |
                   (uint64_t)digits_of(v.z, per, 17) << 36 | (uint64_t)e << 54;
    return make_uint4(place.x, place.y, (uint32_t)all, (uint32_t)(all >> 32));
}

OOZE_DEVICE Direction going_get(uint4 p)
{
    const float none = 8388608.0f + 131072.0f;
    uint2 place = {p.x, p.y};
    Direction d = {place_get(place), whole(p.z & 0x3ffffu, none),
                   whole(bits_from(p.z, p.w, 18) & 0x3ffffu, none),
                   whole(p.w >> 4 & 0x3ffffu, none), unit_of(p.w >> 22 & 0xffu, 17)};
    return d;
}

/* The direction as it was rounded. */
OOZE_DEVICE float4 going_vector(uint4 p)
{
    Direction d = going_get(p);
    return four(d.unit * d.x, d.unit * d.y, d.unit * d.z);
}

/* ---- fluxes: 9 + 3 numbers of 20 bits, an exponent for each kind ---- */

struct Flux {
    float row[9], last[3];
    float unit, last_unit;
};

OOZE_DEVICE uint4 six_pack(const uint32_t v[6], uint32_t e)
{
    return make_uint4(v[0] | v[1] << 20, v[1] >> 12 | v[2] << 8 | v[3] << 28,
                      v[3] >> 4 | v[4] << 16, v[4] >> 16 | v[5] << 4 | e << 24);
}

OOZE_DEVICE void six_get(uint4 p, float v[6])
{
    const float none = 8388608.0f + 524288.0f;
    const uint32_t mask = 0xfffffu;
    v[0] = whole(p.x & mask, none);
    v[1] = whole(bits_from(p.x, p.y, 20) & mask, none);
    v[2] = whole(p.y >> 8 & mask, none);
    v[3] = whole(bits_from(p.y, p.z, 28) & mask, none);
    v[4] = whole(bits_from(p.z, p.w, 16) & mask, none);
    v[5] = whole(p.w >> 4 & mask, none);
}

OOZE_DEVICE void flux_pack(const float row[9], const float last[3], uint4 packed[2])
{
    float largest = 0.0f, largest_last = 0.0f;
    for (int k = 0; k < 9; k++) {
        largest = fmaxf(largest, fabsf(row[k]));
    }
    for (int k = 0; k < 3; k++) {
        largest_last = fmaxf(largest_last, fabsf(last[k]));
    }
    uint32_t e = exponent_above(largest), f = exponent_above(largest_last), v[12];
    for (int k = 0; k < 9; k++) {
        v[k] = digits_of(row[k], per_unit(e, 19), 19);
    }
    for (int k = 0; k < 3; k++) {
        v[9 + k] = digits_of(last[k], per_unit(f, 19), 19);
    }
    packed[0] = six_pack(v, e);
    packed[1] = six_pack(v + 6, f);
}

OOZE_DEVICE Flux flux_get(uint4 a, uint4 b)
{
    Flux flux;
    float second[6];
    six_get(a, flux.row);
    six_get(b, second);
    for (int k = 0; k < 3; k++) {
        flux.row[6 + k] = second[k];
        flux.last[k] = second[3 + k];
    }
    flux.unit = unit_of(a.w >> 24, 19);
    flux.last_unit = unit_of(b.w >> 24, 19);
    return flux;
}

/* ---- gathers ---- */

/* As raw_rows, of a direction, without walls. */
OOZE_DEVICE RawRows packed_rows(const StepView &s, const PackView &p, uint32_t i)
{
    float m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, w[3] = {0, 0, 0};
    const Direction here = going_get(p.going[i]);
    const float shrink = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        Direction other = going_get(p.going[j]);
        float x = other.place.x - here.place.x, y = other.place.y - here.place.y;
        float z = other.place.z - here.place.z, r2 = x * x + y * y + z * z + other.place.w;
        float f = other.unit * fmaxf(1.0f - r2 * shrink, 0.0f);
        float a = f * other.x, b = f * other.y, c = f * other.z;
        m[0] += a * x;
        m[1] += a * y;
        m[2] += a * z;
        m[3] += b * x;
        m[4] += b * y;
        m[5] += b * z;
        m[6] += c * x;
        m[7] += c * y;
        m[8] += c * z;
        w[0] += a;
        w[1] += b;
        w[2] += c;
    });
    RawRows rows;
    float4 sum = s.edge_sum[i];
    float v[3] = {here.unit * here.x, here.unit * here.y, here.unit * here.z};
    float g[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            rows.gradient.m[3 * k + l] = s.strain * p.step * m[3 * k + l] - v[k] * g[l];
        }
        rows.weighted[k] = s.strain * w[k] - v[k] * sum.w;
    }
    return rows;
}

/* As edges_flux, of packed ones: two a particle. */
OOZE_DEVICE float4 packed_edges_flux(const StepView &s, const PackView &p, const uint4 *flux,
                                     uint32_t i)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float4 here = place_get(p.places[i]);
    const float shrink = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        float4 there = place_get(p.places[j]);
        Flux t = flux_get(flux[2 * (uint64_t)j], flux[2 * (uint64_t)j + 1]);
        float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
        float f = fmaxf(1.0f - (x * x + y * y + z * z + there.w) * shrink, 0.0f);
        float along = f * p.step * t.unit, last = f * t.last_unit;
        fx += along * (t.row[0] * x + t.row[1] * y + t.row[2] * z) + last * t.last[0];
        fy += along * (t.row[3] * x + t.row[4] * y + t.row[5] * z) + last * t.last[1];
        fz += along * (t.row[6] * x + t.row[7] * y + t.row[8] * z) + last * t.last[2];
    });
    return four(s.strain * fx, s.strain * fy, s.strain * fz);
}

} // namespace ooze

#endif
