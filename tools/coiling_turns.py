#!/usr/bin/env python3
"""Turns of coiling ropes in runs: for each probe `azimuth` the number of whole turns, the mean
period of the last eight (or of all but the first, with which a coil begins) and their spread,
longest less shortest over mean. `--until` leaves out later readings, such as those after the nozzle
has stopped.

    tools/coiling_turns.py [--until SECONDS] RUN..."""
import argparse
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from coiling_study import columns_of, periods_of  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--until", type=float, default=math.inf)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    print("| run | probe | turns | period, s | spread |")
    print("| --- | --- | ---: | ---: | ---: |")
    for run in options.runs:
        columns = columns_of(run)
        count = sum(t <= options.until for t in columns["time"])
        for name, values in columns.items():
            if name.endswith(".turns"):
                periods = periods_of(columns["time"][:count], values[:count])
                kept = periods[:-1][:8]
                mean = statistics.mean(kept) if kept else float("nan")
                spread = (max(kept) - min(kept)) / mean if kept else float("nan")
                print(f"| {run.name} | {name[:-6]} | {len(periods)} | {mean:.3f} | {spread:.2f} |")


if __name__ == "__main__":
    main()
