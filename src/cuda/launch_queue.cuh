/* Launches are queued and submitted together as a CUDA graph: submitting one launch after the other
   takes longer than most loops of a small scene. A graph is made when the same loops follow each
   other for the second time, and kept; later only arguments that differ are updated. What runs, and
   in which order, is the same with and without graphs. */
#ifndef OOZE_CUDA_LAUNCH_QUEUE_CUH
#define OOZE_CUDA_LAUNCH_QUEUE_CUH

#include "cuda/gpu.cuh"

#ifdef __CUDACC__
namespace ooze
{

/* NULL where memory is short, or where the environment variable OOZE_GRAPHS is 0: then launches
   are submitted one by one. */
LaunchQueue *launch_queue_create(void);
void launch_queue_free(LaunchQueue *queue);

} // namespace ooze
#endif

#endif
