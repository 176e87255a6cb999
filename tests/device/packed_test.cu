/* Rounded directions, fluxes and positions: the error is at most that of their digits. */
#include "device/device.h"

#include "methods/conformation/cuda/packed.cuh"

static float shaken(uint64_t i, uint64_t k)
{
    return (float)(2.0 * ooze_random01(7, i, k) - 1.0);
}

enum { COUNT = 4000 };

/* Numbers of sizes from 1e-8 to 1e8, some of them 0. */
static std::vector<float> numbers(int each)
{
    std::vector<float> all;
    for (uint64_t i = 0; i < COUNT; i++) {
        float size = powf(10.0f, 8.0f * shaken(i, 100));
        for (uint64_t k = 0; k < (uint64_t)each; k++) {
            all.push_back(i % 17 == 0 ? 0.0f : size * shaken(i, k));
        }
    }
    return all;
}

/* Half a unit of 2^-17 of the power of two above the largest; the largest itself may lose a whole
   one. */
static void directions(void **state)
{
    (void)state;
    ooze::Gpu gpu, *m = &gpu;
    open_machine(m);
    std::vector<float> given = numbers(3);
    const float *from = send(m, given);
    float *to = ooze::scratch<float>(m, 6 * COUNT);
    ooze::for_each(
        m, COUNT, OOZE_BODY(uint32_t i) {
            uint2 place = {123u + i, 456u};
            float4 v = ooze::f32x4(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
            float4 once = ooze::direction_vector(ooze::direction_pack(place, v, i % 2));
            float4 twice = ooze::direction_vector(ooze::direction_pack(place, once, i % 3));
            to[6 * i] = once.x;
            to[6 * i + 1] = once.y;
            to[6 * i + 2] = once.z;
            to[6 * i + 3] = twice.x;
            to[6 * i + 4] = twice.y;
            to[6 * i + 5] = twice.z;
        });
    std::vector<float> got = fetch(m, to, 6 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        float largest = 0.0f;
        for (int k = 0; k < 3; k++) {
            largest = fmaxf(largest, fabsf(given[3 * i + k]));
        }
        float unit = largest > 0.0f ? ldexpf(1.0f, ilogbf(largest) + 1 - 17) : 0.0f;
        for (int k = 0; k < 3; k++) {
            assert_true(fabsf(got[6 * i + k] - given[3 * i + k]) <= unit);
            /* what has been rounded stays as it is: directions are used as they were rounded */
            assert_true(got[6 * i + 3 + k] == got[6 * i + k]);
        }
    }
    ooze::gpu_destroy(m);
}

static void fluxes(void **state)
{
    (void)state;
    ooze::Gpu gpu, *m = &gpu;
    open_machine(m);
    std::vector<float> given = numbers(9);
    const float *from = send(m, given);
    float *to = ooze::scratch<float>(m, 9 * COUNT), *where = ooze::scratch<float>(m, COUNT);
    ooze::for_each(
        m, COUNT, OOZE_BODY(uint32_t i) {
            uint4 packed[2];
            uint2 place = {i, 5u << 10};
            ooze::flux_pack(place, from + 9 * i, packed);
            ooze::Flux flux = ooze::flux_get(packed[0], packed[1]);
            for (int k = 0; k < 9; k++) {
                to[9 * i + k] = flux.unit * flux.row[k];
            }
            where[i] = flux.place.x + flux.place.z;
        });
    std::vector<float> got = fetch(m, to, 9 * COUNT), there = fetch(m, where, COUNT);
    for (int i = 0; i < COUNT; i++) {
        float largest = 0.0f;
        for (int k = 0; k < 9; k++) {
            largest = fmaxf(largest, fabsf(given[9 * i + k]));
        }
        for (int k = 0; k < 9; k++) {
            /* a unit is at most 2^-18 of the largest */
            assert_true(fabsf(got[9 * i + k] - given[9 * i + k]) <= largest / 262144.0f);
        }
        assert_true(there[i] == (float)i + 5.0f);
    }
    ooze::gpu_destroy(m);
}

/* A unit is at most 2^-11 of the largest. */
static void lean_fluxes(void **state)
{
    (void)state;
    ooze::Gpu gpu, *m = &gpu;
    open_machine(m);
    std::vector<float> given = numbers(9);
    const float *from = send(m, given);
    float *to = ooze::scratch<float>(m, 9 * COUNT);
    ooze::for_each(
        m, COUNT, OOZE_BODY(uint32_t i) {
            float nine[9], unit = ooze::unpack_9x13(ooze::pack_9x13(from + 9 * i), nine);
            for (int k = 0; k < 9; k++) {
                to[9 * i + k] = unit * nine[k];
            }
        });
    std::vector<float> got = fetch(m, to, 9 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        float largest = 0.0f;
        for (int k = 0; k < 9; k++) {
            largest = fmaxf(largest, fabsf(given[9 * i + k]));
        }
        for (int k = 0; k < 9; k++) {
            assert_true(fabsf(got[9 * i + k] - given[9 * i + k]) <= largest / 2048.0f);
        }
    }
    ooze::gpu_destroy(m);
}

static void places(void **state)
{
    (void)state;
    ooze::Gpu gpu, *m = &gpu;
    open_machine(m);
    ooze::PackView pack = {};
    pack.low[0] = -3.0f;
    pack.low[1] = 5.0f;
    pack.low[2] = 100.0f;
    pack.step = 8.0f / 2097151.0f;
    pack.inverse = 1.0f / pack.step;
    std::vector<float4> given;
    for (uint64_t i = 0; i < COUNT; i++) {
        given.push_back(make_float4(1.0f + 4.0f * shaken(i, 0), 9.0f + 4.0f * shaken(i, 1),
                                    104.0f + 4.0f * shaken(i, 2),
                                    i % 5 == 0 ? OOZE_DUMMY_FAR : 0.0f));
    }
    const float4 *from = send(m, given);
    float4 *to = ooze::scratch<float4>(m, COUNT);
    ooze::for_each(
        m, COUNT,
        OOZE_BODY(uint32_t i) { to[i] = ooze::place_get(ooze::place_pack(pack, from[i])); });
    std::vector<float4> got = fetch(m, to, COUNT);
    for (int i = 0; i < COUNT; i++) {
        /* one step, and the rounding of a float at 104 */
        assert_true(fabsf(pack.low[0] + pack.step * got[i].x - given[i].x) <= 1.1f * pack.step);
        assert_true(fabsf(pack.low[1] + pack.step * got[i].y - given[i].y) <= 1.1f * pack.step);
        assert_true(fabsf(pack.low[2] + pack.step * got[i].z - given[i].z) <= 4.0f * pack.step);
        assert_true(got[i].w == given[i].w);
    }
    ooze::gpu_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions),
        cmocka_unit_test(fluxes),
        cmocka_unit_test(lean_fluxes),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
