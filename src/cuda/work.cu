#include "cuda/limits.cuh"

namespace ooze
{

OozeWork device_work(OozeWorkKind kind, double fluid, double walls)
{
    return ooze_work(kind, fluid, walls);
}

} // namespace ooze
