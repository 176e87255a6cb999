#!/usr/bin/env python3
"""Turns of coiling ropes in runs: for each probe `azimuth` the number of whole turns, the mean
period of the last eight (or of all but the first, with which a coil begins) and their spread, longest less
shortest over mean.

    tools/coiling_turns.py RUN..."""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from coiling_study import columns_of, periods_of  # noqa: E402


def main():
    print("| run | probe | turns | period, s | spread |")
    print("| --- | --- | ---: | ---: | ---: |")
    for run in map(pathlib.Path, sys.argv[1:]):
        columns = columns_of(run)
        for name, values in columns.items():
            if name.endswith(".turns"):
                periods = periods_of(columns["time"], values)
                kept = periods[:-1][:8]
                mean = statistics.mean(kept) if kept else float("nan")
                spread = (max(kept) - min(kept)) / mean if kept else float("nan")
                print(f"| {run.name} | {name[:-6]} | {len(periods)} | {mean:.3f} | {spread:.2f} |")


if __name__ == "__main__":
    main()
