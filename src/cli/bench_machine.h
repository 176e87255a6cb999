/* What this machine can do at most, as measured with the instruction set that the innermost loops use. */
#ifndef OOZE_CLI_BENCH_MACHINE_H
#define OOZE_CLI_BENCH_MACHINE_H

#include "methods/stage_work.h"

typedef struct OozeBenchMachine {
    /* A second: chains of fused multiplications and additions in registers, all threads; NAN: no memory, or not
       measured. */
    double flops;
    /* Bytes a second, read and written, of arrays that no cache holds; NAN: no memory. */
    double copy;
    int threads;
    OozeWork (*work)(OozeWorkKind kind, double fluid, double walls); /* of its loops */
} OozeBenchMachine;

/* Takes about 0.3 s; threads 0: one per core. Returns the exit code. */
int ooze_bench_machine(int threads, OozeBenchMachine *machine);

#endif
