"""The cost of a step over several processes: a model fitted to the measurements of bench/ranks.py,
and what it predicts for clusters and GPUs.

A step of a process with n own particles, g ghosts and R processes takes

    n (tp + tc (busy - 1)) + g tg + x a + B / b + C s

busy: cores of the host that are used. tp: a particle on one core; tc: how much longer it takes for
each other busy core, which shares memory; tg: work for a ghost. x exchanges of latency a, of B
bytes in all at bandwidth b, and C calls of all processes of s each come from the counters of a run
and from messages_bench. What is left is waiting: imbalance, and cores that other programs use."""
import itertools
import math

import numpy

CELL = 2.2             # edge of a cell in spacings: the support of `conformation`
GHOST_BYTES = {"velocity": 64, "density": 32, "rest": 200}  # of docs/cluster.md, Messages
WARM_START_BYTES = 32 / 256  # a particle of all and step: sums of components of fluid
EXCHANGES = {"velocity": 2, "density": 2, "rest": 20}
CALLS = {"velocity": 2, "density": 1, "rest": 30}

# Assumed networks: latency of a message in s, bytes/s a direction, and s of one of the log2 R
# stages of a call of all processes. From data sheets, with a fifth taken off the bandwidth.
# InfiniBand HDR100 and NDR (ConnectX-6, ConnectX-7): 100 and 400 Gb/s; NVLink 4 of an H200: 900
# GB/s in both directions together. Latencies are assumed.
INFINIBAND_HOST = {"latency": 2e-6, "bandwidth": 0.8 * 12.5e9, "stage": 2e-6}
INFINIBAND_GPU = {"latency": 8e-6, "bandwidth": 0.8 * 50e9, "stage": 8e-6}
NVLINK = {"latency": 8e-6, "bandwidth": 0.8 * 450e9, "stage": 8e-6}
GPUS_A_HOST = 8

# `massive` on one H200 (docs/notes/performance.md): 11.85 million particles, 30 velocity and
# 5 density iterations and 5 steps a frame.
GPU_PARTICLES = 11.85e6
GPU_SECONDS = {"velocity": 3.4e-3 / GPU_PARTICLES, "density": 2.15e-3 / GPU_PARTICLES}
GPU_STEP = 0.79 / 5
GPU_ITERATIONS = {"velocity": 30, "density": 5, "rest": 1}
GPU_STEPS_A_FRAME = 5
GPU_BYTES, GPU_MEMORY = 600, 141e9
GPU_SECONDS["rest"] = GPU_STEP / GPU_PARTICLES - sum(
    GPU_SECONDS[stage] * GPU_ITERATIONS[stage] for stage in ("velocity", "density"))


def fit_positive(table, wanted):
    """Least squares with factors that are not negative."""
    best, best_error = numpy.zeros(table.shape[1]), math.inf
    for count in range(1, table.shape[1] + 1):
        for columns in itertools.combinations(range(table.shape[1]), count):
            found = numpy.linalg.lstsq(table[:, columns], wanted, rcond=None)[0]
            error = float(numpy.sum((table[:, columns] @ found - wanted) ** 2))
            if found.min() >= 0.0 and error < best_error:
                best, best_error = numpy.zeros(table.shape[1]), error
                best[list(columns)] = found
    return best


def ghosts_of(particles, ranks):
    """Ghosts of a process between two others, of a cube in slabs of the order of its cells: a layer
    of cells at each side, or where a process has less than a layer as much as it has itself, and
    the rows of cells beside its first and last."""
    own = particles / ranks
    side = particles ** (1 / 3)
    layer = CELL * side ** 2
    sides = 0 if ranks == 1 else 1 if ranks == 2 else 2
    rows = 0.0 if own >= layer else 3 * CELL ** 2 * side
    return sides * (min(own, layer) + rows)


def message_seconds(row, messages):
    """Messages and calls of all processes of a measured row; those of the most processes that had a
    core each, where it had more."""
    if row["ranks"] == 1:
        return 0.0
    m = messages[min(row["ranks"], max(messages))]
    sides = 1 if row["ranks"] == 2 else 2
    return (row["messages"] / sides * m["latency"] + row["bytes"] / sides / m["bandwidth"] +
            row["calls"] * m["sum"])


def columns_of(row, cores):
    own = row["particles"] / row["ranks"]
    return [own, own * (min(row["ranks"], cores) - 1), ghosts_of(row["particles"], row["ranks"])]


def fit(measured):
    messages = {int(r): m for r, m in measured["messages"].items()}
    rows = [row for row in measured["rows"] if row["kind"] in ("strong", "weak")]
    times = numpy.array([row["ms"] * 1e-3 for row in rows])
    rest = numpy.array([max(t - message_seconds(row, messages), 0.0)
                        for t, row in zip(times, rows)])
    table = numpy.array([columns_of(row, measured["cores"]) for row in rows])
    factors = fit_positive(table / times[:, None], rest / times)
    stage = [m["sum"] / math.log2(r) for r, m in messages.items()]
    most = max(messages) if messages else 1
    return {"factors": factors, "messages": messages, "cores": measured["cores"],
            "stage": float(numpy.mean(stage)) if stage else 0.0, "most": most,
            "iterations": {"velocity": rows[0]["parts"]["velocity_operator"][1],
                           "density": rows[0]["parts"]["density_multipliers"][1], "rest": 1}}


def predict_row(model, row):
    work = float(numpy.dot(columns_of(row, model["cores"]), model["factors"]))
    return work + message_seconds(row, model["messages"])


# ---- measured ----

def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + " ---: |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_measured(model, measured):
    rows = sorted(measured["rows"], key=lambda r: (r["kind"], -r["particles"], r["ranks"]))
    one = {r["particles"]: r["ms"] for r in rows if r["kind"] == "strong" and r["ranks"] == 1}
    alone = [r for r in rows if r["ranks"] * r["threads"] == 1]
    threads = {(r["particles"], r["threads"]): r["ms"] for r in rows if r["kind"] == "threads"}
    lines, errors = [], []
    for row in rows:
        if row["kind"] not in ("strong", "weak"):
            continue
        predicted = 1e3 * predict_row(model, row)
        errors.append(row["ms"] / predicted - 1)
        own, base = row["particles"] / row["ranks"], None
        if row["kind"] == "strong" and row["particles"] in one:
            base = one[row["particles"]] / row["ranks"]
        elif alone:  # the same number of particles a process, but for whole spacings of a cube
            like = min(alone, key=lambda r: abs(r["particles"] - own))
            base = like["ms"] * own / like["particles"]
        beside = threads.get((row["particles"], row["ranks"]))
        lines.append([row["kind"], f"{row['particles']:,}", str(row["ranks"]),
                      f"{row['ms']:.1f}", f"{predicted:.1f}", f"{100 * errors[-1]:+.1f} %",
                      f"{100 * base / row['ms']:.0f} %" if base else "",
                      f"{beside:.1f}" if beside else "",
                      f"{row.get('least_waiting', 0.0):.0f} to {row['waiting']:.0f}",
                      f"{row['messages']}, {row['bytes'] / 2 ** 20:.1f}", str(row["calls"]),
                      str(row["repeats"])])
    table(["", "particles", "processes", "ms a step", "model", "residual", "efficiency",
           "as threads", "messages and waiting, ms", "messages, MiB", "calls of all", "repeats"],
          lines)
    print(f"Residual: {100 * math.sqrt(numpy.mean(numpy.square(errors))):.1f} % root mean square, "
          f"{100 * max(map(abs, errors)):.1f} % at most.\n")
    mixed = [[f"{r['particles']:,}", f"{r['ranks']} x {r['threads']}", f"{r['ms']:.1f}",
              f"{r.get('least_waiting', 0.0):.0f} to {r['waiting']:.0f}"]
             for r in rows if r["kind"] in ("mixed", "threads")]
    if mixed:
        table(["particles", "processes x threads", "ms a step", "messages and waiting, ms"], mixed)
    apart = [[str(r["ranks"]), f"{r['particles']:,}", f"{r['ms']:.1f}", f"{r['mean_ms']:.1f}"]
             for r in rows if r["kind"] == "apart"]
    if apart:
        table(["runs at once, without messages", "particles each", "ms a step of the slowest",
               "mean"], apart)


def print_model(model):
    own, contention, ghost = 1e9 * model["factors"]
    print(f"Fitted: {own:.0f} ns a particle and step, {contention:.1f} ns more for each other busy "
          f"core, {ghost:.0f} ns a ghost.\n")
    table(["processes", "latency of an exchange, us", "GB/s to each side",
           "sum over all, us"],
          [[str(r), f"{1e6 * m['latency']:.1f}", f"{1e-9 * m['bandwidth']:.2f}",
            f"{1e6 * m['sum']:.1f}"] for r, m in sorted(model["messages"].items())])


# ---- clusters of hosts ----

def predict_hosts(model, particles, ranks):
    """Seconds of work and of messages in a step; hosts have as many cores as the one
    that was measured."""
    iterations = model["iterations"]
    cores, busy = model["cores"], min(ranks, model["cores"])
    hosts = max(1, math.ceil(ranks / cores))
    own, ghosts = particles / ranks, ghosts_of(particles, ranks)
    inside = model["messages"][model["most"]] if model["messages"] else INFINIBAND_HOST
    work = own * (model["factors"][0] + model["factors"][1] * (busy - 1))
    work += ghosts * model["factors"][2]
    if ranks == 1:
        return work, 0.0
    size = sum(GHOST_BYTES[k] * iterations[k] for k in GHOST_BYTES) * ghosts / 2
    exchanges = sum(EXCHANGES[k] * iterations[k] for k in EXCHANGES)
    calls = sum(CALLS[k] * iterations[k] for k in CALLS)
    ways = [inside] if hosts == 1 else [inside, INFINIBAND_HOST]
    sent = max(exchanges * w["latency"] + size / w["bandwidth"] for w in ways)
    stages = math.log2(busy) * model["stage"] + math.log2(hosts) * INFINIBAND_HOST["stage"]
    gathered = WARM_START_BYTES * particles / ways[-1]["bandwidth"]
    return work, sent + calls * stages + gathered


def print_clusters(model):
    print(f"Predicted for hosts of {model['cores']} cores, 100 Gb/s between them:\n")
    lines = []
    for ranks in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        cells = [str(ranks)]
        for particles in (4e6, 64e6, 1e9):
            alone = sum(predict_hosts(model, particles, 1))
            work, sent = predict_hosts(model, particles, ranks)
            cells += [f"{1e3 * (work + sent):.0f}",
                      f"{100 * alone / ranks / (work + sent):.0f} %"]
        alone = sum(predict_hosts(model, 1e6, 1))
        work, sent = predict_hosts(model, 1e6 * ranks, ranks)
        lines.append(cells + [f"{1e3 * (work + sent):.0f}",
                              f"{100 * alone / (work + sent):.0f} %",
                              f"{ghosts_of(1e6 * ranks, ranks) / 1e6:.2f}"])
    table(["processes", "4 million: ms", "strong", "64 million: ms", "strong",
           "1,000 million: ms", "strong", "1 million each: ms", "weak", "ghosts an own particle"],
          lines)


# ---- GPUs ----

def predict_gpus(particles, gpus):
    """Seconds of the parts of a step, messages apart. The slowest GPU has one neighbour on its own
    host and one on another."""
    own, ghosts = particles / gpus, ghosts_of(particles, gpus)
    link = INFINIBAND_GPU if gpus > GPUS_A_HOST else NVLINK
    stages = math.log2(gpus) * link["stage"]
    parts = {}
    for stage, count in GPU_ITERATIONS.items():
        size = GHOST_BYTES[stage] * ghosts / 2
        sent = EXCHANGES[stage] * link["latency"] + size / link["bandwidth"] + (
            CALLS[stage] * stages)
        parts[stage] = count * own * GPU_SECONDS[stage]
        parts[stage + " messages"] = count * sent if gpus > 1 else 0.0
    gathered = WARM_START_BYTES * particles / link["bandwidth"]
    parts["rest messages"] += gathered if gpus > 1 else 0.0
    return parts


def step_of(parts, overlapped):
    """Overlapped: messages of iterations travel while inner particles are computed."""
    total = parts["rest"] + parts["rest messages"]
    for stage in ("velocity", "density"):
        work, sent = parts[stage], parts[stage + " messages"]
        total += max(work, sent) if overlapped else work + sent
    return total


def print_gpus():
    print("Predicted for GPUs (H200, eight a host, NVLink inside and 400 Gb/s a GPU between "
          "hosts); 30 velocity and 5 density iterations a step:\n")
    lines = []
    for gpus in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        cells = [str(gpus)]
        for particles in (12e6, 100e6):
            alone = step_of(predict_gpus(particles, 1), False)
            now = step_of(predict_gpus(particles, gpus), False)
            cells += [f"{1e3 * now:.1f}", f"{100 * alone / gpus / now:.0f} %"]
        alone = step_of(predict_gpus(4e6, 1), False)
        now = step_of(predict_gpus(4e6 * gpus, gpus), False)
        lines.append(cells + [f"{1e3 * now:.1f}", f"{100 * alone / now:.0f} %"])
    table(["GPUs", "12 million: ms", "strong", "100 million: ms", "strong", "4 million each: ms",
           "weak"], lines)


def print_billion():
    particles = 1e9
    print("A thousand million particles:\n")
    lines = []
    for gpus in (8, 16, 32, 64, 128, 256):
        parts = predict_gpus(particles, gpus)
        own, ghosts = particles / gpus, ghosts_of(particles, gpus)
        memory = GPU_BYTES * (own + ghosts)
        apart, together = step_of(parts, False), step_of(parts, True)
        binds = max(parts, key=parts.get)
        lines.append([str(gpus), f"{1e-6 * own:.1f}", f"{ghosts / own:.2f}",
                      f"{1e-9 * memory:.0f}" + ("" if memory < GPU_MEMORY else " (too much)"),
                      f"{apart:.2f}", f"{together:.2f}", f"{GPU_STEPS_A_FRAME * apart:.1f}",
                      f"{GPU_STEPS_A_FRAME * together:.1f}",
                      f"{binds}, {100 * parts[binds] / apart:.0f} %"])
    table(["GPUs", "million each", "ghosts an own particle", "GB a GPU", "s a step",
           "messages overlapped", "s a frame of 5 steps", "overlapped", "longest part"], lines)


def print_tables(measured):
    model = fit(measured)
    print_measured(model, measured)
    print_model(model)
    print_clusters(model)
    print_gpus()
    print_billion()
