#include "cuda/launch_queue.cuh"

#ifdef __CUDACC__

#include <cstdlib>

extern "C" {
#include "base/memory.h"
}

namespace ooze
{

enum {
    LAUNCHES_MAX = 64, /* of a graph: the GPU begins when they are submitted */
    GRAPH_MIN = 2,     /* fewer launches are submitted one by one */
    ARGUMENTS_MAX = 8,
    GRAPHS_MAX = 192,
    VARIANTS_MAX = 8, /* graphs of the same kernels, with other arguments */
    SEEN_MAX = 256,
    ARGUMENT_BYTES = 64 << 10,
    ARGUMENT_ALIGN = 16
};

struct QueuedLaunch {
    const void *kernel;
    LaunchShape shape;
    int count;
    uint32_t argument[ARGUMENTS_MAX]; /* bytes from the beginning of the arguments */
    uint32_t end;
};

struct Launches {
    int count;
    uint32_t used; /* of `bytes` */
    QueuedLaunch launch[LAUNCHES_MAX];
    char bytes[ARGUMENT_BYTES]; /* arguments */
};

struct LaunchGraph {
    uint64_t key, last_use;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node[LAUNCHES_MAX];
    Launches launches; /* as they were submitted last */
};

struct LaunchQueue {
    Launches pending;
    uint64_t uses;
    uint64_t seen[SEEN_MAX]; /* keys of submissions that have occurred once, the oldest replaced */
    uint64_t seen_count;
    LaunchGraph *graph[GRAPHS_MAX];
    int graphs;
};

/* ---- memory ---- */

LaunchQueue *launch_queue_create(void)
{
    const char *graphs = getenv("OOZE_GRAPHS");
    if (graphs && strcmp(graphs, "0") == 0) {
        return nullptr;
    }
    return static_cast<LaunchQueue *>(ooze_alloc_zero(1, sizeof(LaunchQueue)));
}

static void graph_free(LaunchGraph *graph)
{
    if (graph->exec) {
        cudaGraphExecDestroy(graph->exec);
    }
    if (graph->graph) {
        cudaGraphDestroy(graph->graph);
    }
    ooze_free(graph);
}

void launch_queue_free(LaunchQueue *queue)
{
    for (int k = 0; queue && k < queue->graphs; k++) {
        graph_free(queue->graph[k]);
    }
    ooze_free(queue);
}

/* ---- the queue ---- */

static uint32_t aligned(size_t size)
{
    return (uint32_t)((size + ARGUMENT_ALIGN - 1) / ARGUMENT_ALIGN * ARGUMENT_ALIGN);
}

static void launch_now(Gpu *gpu, const void *kernel, LaunchShape shape, void **arguments)
{
    record_error(gpu, cudaLaunchKernel(kernel, dim3(shape.blocks), dim3(shape.threads), arguments,
                                       shape.shared, gpu->stream));
}

void queue_launch(Gpu *gpu, const void *kernel, LaunchShape shape, void **arguments,
                  const size_t *sizes, int count)
{
    uint64_t size = 0;
    for (int k = 0; k < count; k++) {
        size += aligned(sizes[k]);
    }
    if (!gpu->queue || count > ARGUMENTS_MAX || size > ARGUMENT_BYTES) {
        submit(gpu);
        launch_now(gpu, kernel, shape, arguments);
        return;
    }
    Launches *pending = &gpu->queue->pending;
    if (pending->count == LAUNCHES_MAX || pending->used + size > ARGUMENT_BYTES) {
        submit(gpu);
    }
    QueuedLaunch *launch = &pending->launch[pending->count++];
    *launch = {kernel, shape, count, {}, 0};
    for (int k = 0; k < count; k++) {
        const uint32_t begin = pending->used, end = begin + (uint32_t)sizes[k];
        launch->argument[k] = begin;
        pending->used = begin + aligned(sizes[k]);
        memcpy(pending->bytes + begin, arguments[k], sizes[k]);
        memset(pending->bytes + end, 0, pending->used - end); /* compared with later ones */
    }
    launch->end = pending->used;
}

static void pointers_of(Launches *launches, const QueuedLaunch *launch, void **arguments)
{
    for (int k = 0; k < launch->count; k++) {
        arguments[k] = launches->bytes + launch->argument[k];
    }
}

/* ---- graphs ---- */

static uint64_t mixed(uint64_t key, uint64_t value)
{
    key = (key ^ value) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

static uint64_t key_of(const Launches *launches)
{
    uint64_t key = (uint64_t)launches->count;
    for (int k = 0; k < launches->count; k++) {
        key = mixed(key, (uint64_t) reinterpret_cast<uintptr_t>(launches->launch[k].kernel));
    }
    return key;
}

/* Whether both are the same kernels; grids and arguments may differ. */
static bool same_kernels(const Launches *a, const Launches *b)
{
    bool same = a->count == b->count;
    for (int k = 0; k < a->count && same; k++) {
        same = a->launch[k].kernel == b->launch[k].kernel && a->launch[k].end == b->launch[k].end;
    }
    return same;
}

static bool same_shape(const QueuedLaunch *a, const QueuedLaunch *b)
{
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

/* Of the same kernels. */
static bool same_arguments(const Launches *a, const Launches *b)
{
    bool same = memcmp(a->bytes, b->bytes, a->used) == 0;
    for (int k = 0; k < a->count && same; k++) {
        same = same_shape(&a->launch[k], &b->launch[k]);
    }
    return same;
}

/* The graph of the pending kernels with the same arguments; if there is none, the one that was not
   used for longest, once there are VARIANTS_MAX of them. */
static LaunchGraph *find_graph(LaunchQueue *queue, uint64_t key)
{
    LaunchGraph *oldest = nullptr;
    int variants = 0;
    for (int k = 0; k < queue->graphs; k++) {
        LaunchGraph *graph = queue->graph[k];
        if (graph->key == key && same_kernels(&graph->launches, &queue->pending)) {
            if (same_arguments(&graph->launches, &queue->pending)) {
                return graph;
            }
            oldest = !oldest || graph->last_use < oldest->last_use ? graph : oldest;
            variants++;
        }
    }
    return variants >= VARIANTS_MAX ? oldest : nullptr;
}

/* Whether the key was passed before; it is recorded. */
static bool seen_before(LaunchQueue *queue, uint64_t key)
{
    for (int k = 0; k < SEEN_MAX; k++) {
        if (queue->seen[k] == key) {
            return true;
        }
    }
    queue->seen[queue->seen_count++ % SEEN_MAX] = key;
    return false;
}

static cudaKernelNodeParams node_params(const QueuedLaunch *launch, void **arguments)
{
    cudaKernelNodeParams params = {};
    params.func = const_cast<void *>(launch->kernel);
    params.gridDim = dim3(launch->shape.blocks);
    params.blockDim = dim3(launch->shape.threads);
    params.sharedMemBytes = launch->shape.shared;
    params.kernelParams = arguments;
    return params;
}

static void make_nodes(Gpu *gpu, LaunchGraph *graph)
{
    record_error(gpu, cudaGraphCreate(&graph->graph, 0));
    for (int k = 0; k < graph->launches.count && gpu->failed == cudaSuccess; k++) {
        void *arguments[ARGUMENTS_MAX];
        const QueuedLaunch *launch = &graph->launches.launch[k];
        pointers_of(&graph->launches, launch, arguments);
        const cudaKernelNodeParams params = node_params(launch, arguments);
        record_error(gpu, cudaGraphAddKernelNode(&graph->node[k], graph->graph,
                                                 k > 0 ? &graph->node[k - 1] : nullptr,
                                                 k > 0 ? 1 : 0, &params));
    }
    if (gpu->failed == cudaSuccess) {
        record_error(gpu, cudaGraphInstantiate(&graph->exec, graph->graph, 0));
    }
}

/* The place of a new graph: where all are taken, that of the one not used for longest. */
static LaunchGraph **free_place(LaunchQueue *queue)
{
    if (queue->graphs < GRAPHS_MAX) {
        return &queue->graph[queue->graphs++];
    }
    LaunchGraph **oldest = &queue->graph[0];
    for (int k = 1; k < queue->graphs; k++) {
        oldest = queue->graph[k]->last_use < (*oldest)->last_use ? &queue->graph[k] : oldest;
    }
    graph_free(*oldest);
    return oldest;
}

static LaunchGraph *make_graph(Gpu *gpu, uint64_t key)
{
    LaunchQueue *queue = gpu->queue;
    LaunchGraph *graph = static_cast<LaunchGraph *>(ooze_alloc_zero(1, sizeof(LaunchGraph)));
    if (!graph) {
        return nullptr;
    }
    graph->key = key;
    graph->launches = queue->pending;
    make_nodes(gpu, graph);
    *free_place(queue) = graph;
    return graph;
}

/* Grids and arguments of this submission, where they differ from the last one. */
static void update_graph(Gpu *gpu, LaunchGraph *graph)
{
    Launches *now = &gpu->queue->pending, *before = &graph->launches;
    uint32_t begin = 0;
    for (int k = 0; k < now->count && gpu->failed == cudaSuccess; k++) {
        QueuedLaunch *launch = &now->launch[k];
        const size_t size = launch->end - begin;
        if (!same_shape(launch, &before->launch[k]) ||
            memcmp(now->bytes + begin, before->bytes + begin, size) != 0) {
            void *arguments[ARGUMENTS_MAX];
            pointers_of(now, launch, arguments);
            const cudaKernelNodeParams params = node_params(launch, arguments);
            record_error(gpu,
                         cudaGraphExecKernelNodeSetParams(graph->exec, graph->node[k], &params));
            before->launch[k] = *launch;
            memcpy(before->bytes + begin, now->bytes + begin, size);
        }
        begin = launch->end;
    }
}

static LaunchGraph *graph_of_pending(Gpu *gpu)
{
    LaunchQueue *queue = gpu->queue;
    if (queue->pending.count < GRAPH_MIN) {
        return nullptr;
    }
    const uint64_t key = key_of(&queue->pending);
    LaunchGraph *graph = find_graph(queue, key);
    if (graph) {
        update_graph(gpu, graph);
    } else if (seen_before(queue, key)) {
        graph = make_graph(gpu, key);
    }
    return graph;
}

void submit(Gpu *gpu)
{
    LaunchQueue *queue = gpu->queue;
    if (!queue || queue->pending.count == 0) {
        return;
    }
    Launches *pending = &queue->pending;
    LaunchGraph *graph = gpu->failed == cudaSuccess ? graph_of_pending(gpu) : nullptr;
    if (graph && gpu->failed == cudaSuccess) {
        graph->last_use = ++queue->uses;
        record_error(gpu, cudaGraphLaunch(graph->exec, gpu->stream));
    }
    for (int k = 0; k < pending->count && !graph && gpu->failed == cudaSuccess; k++) {
        void *arguments[ARGUMENTS_MAX];
        pointers_of(pending, &pending->launch[k], arguments);
        launch_now(gpu, pending->launch[k].kernel, pending->launch[k].shape, arguments);
    }
    pending->count = 0;
    pending->used = 0;
}

cudaStream_t stream_of(Gpu *gpu)
{
    submit(gpu);
    return gpu->stream;
}

} // namespace ooze

#endif
