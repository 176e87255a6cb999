/* What this machine can do at most, as measured with the instruction set that the innermost loops use. */
#ifndef OOZE_CLI_BENCH_MACHINE_H
#define OOZE_CLI_BENCH_MACHINE_H

typedef struct OozeBenchMachine {
    double
        flops; /* a second: chains of fused multiplications and additions in registers, all threads; NAN: no memory */
    double
        copy; /* bytes a second, read and written, of arrays that no cache holds; NAN: no memory */
    int threads;
} OozeBenchMachine;

/* Takes about 0.3 s; threads 0: one per core. Returns the exit code. */
int ooze_bench_machine(int threads, OozeBenchMachine *machine);

#endif
