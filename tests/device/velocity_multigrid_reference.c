/* Bodies whose velocities the device and the processor solve for. */
#include "device/velocity_multigrid_case.h"

#include "velocity_cases.h"

static const VelocityCase cases[] = {
    {.name = "block on a floor",
     .layers = 14,
     .floor = true,
     .boxes = 1,
     .box = {{.n = {14, 14, 14}}}},
    {.name = "free block", .layers = 14, .boxes = 1, .box = {{.n = {14, 14, 14}}}},
    {.name = "clay on a fluid of 1e-4 times its viscosity",
     .layers = 14,
     .floor = true,
     .boxes = 2,
     .box = {{.n = {14, 8, 14}, .viscosity = 1e-4}, {.n = {14, 8, 14}, .corner = {7, 8, 4}}}},
    {.name = "thread", .layers = 115, .boxes = 1, .box = {{.n = {2, 150, 2}}}},
    {.name = "floor with friction, jittered",
     .layers = 12,
     .floor = true,
     .friction = 0.5,
     .jitter = 0.3,
     .boxes = 1,
     .box = {{.n = {12, 12, 12}}}},
    {.name = "blocks with gaps, and drops",
     .layers = 12,
     .boxes = 6,
     .box = {{.n = {8, 8, 8}},
             {.n = {8, 8, 8}, .corner = {9, 0, 0}},
             {.n = {8, 8, 8}, .corner = {0, 11, 0}},
             {.n = {2, 2, 2}, .corner = {20, 0, 0}},
             {.n = {1, 2, 1}, .corner = {20, 8, 0}},
             {.n = {1, 1, 1}, .corner = {28, 8, 3}}}},
    {.name = "block of some particles", .layers = 4, .boxes = 1, .box = {{.n = {4, 4, 4}}}},
};
enum { CASES = sizeof cases / sizeof *cases };

OozeWorld *multigrid_case_world(int k, int preconditioner, double tolerance, OozeDevice device,
                                const char **name)
{
    *name = k < CASES ? cases[k].name : NULL;
    return k < CASES ? velocity_world_on(&cases[k], preconditioner, tolerance, 2, device) : NULL;
}
