/* Neighbour lists of the particles of all ranks, which the grids of each are built from. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

namespace ooze
{

void all_lists_free(Gpu *gpu, AllLists *lists)
{
    grid_free(gpu, &lists->grid);
    lists_free(gpu, &lists->near);
}

OozeStatus multigrid_list_all(Step *step, VelocityMultigridInput *input, OozeError *error)
{
    Gpu *gpu = step->gpu;
    AllLists *all = step->all_lists;
    const double support = step->context->support;
    all->near.temporary = true;
    all->grid.known_box = &gpu->share->box;
    OozeStatus result =
        grid_sort(gpu, &all->grid, input->x0, input->n, support, &input->periodic, error);
    result = result ? result
                    : lists_build(gpu, &all->near, &all->grid,
                                  {input->x0, input->n, input->x0, support, true}, error);
    input->fluid = view(&all->near);
    return result;
}

} // namespace ooze
