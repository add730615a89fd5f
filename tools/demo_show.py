#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes one program, shows it live, and then tells what it gained. Every figure is measured here and now.

Usage: demo_show.py TRIODE CACHE THREADS SECONDS COMMAND...

COMMAND is a program that takes the seconds to run as its last argument and prints the time of one turn in
microseconds. It runs for SECONDS under `triode run` while the tuner of CACHE works, then without and with
Triode in turns.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5
ROUND_S = 2
LOOK_S = 0.5
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Demo:
    def __init__(self, triode: str, cache: str, threads: str, seconds: str, command: list):
        self.triode, self.cache, self.command = triode, cache, command
        self.threads, self.seconds = threads, float(seconds)
        self.environment = os.environ | {name: threads for name in THREAD_VARIABLES}
        self.reports = tempfile.TemporaryDirectory()

    def tell(self, *words: str) -> str:
        """What a command of triode's prints, with this cache."""
        done = subprocess.run([self.triode, *words, "--cache", self.cache], env=self.environment, text=True,
                              capture_output=True)
        return done.stdout

    def status(self) -> dict:
        text = self.tell("tuner", "status", "--json")
        return json.loads(text) if text else {}

    def inside(self, *options: str) -> list:
        return [self.triode, "run", "--cache", self.cache, *options, "--", *self.command]

    def run(self, command: list, seconds: float) -> float:
        """The time of a turn."""
        done = subprocess.run([*command, str(seconds)], env=self.environment, text=True, check=True,
                              stdout=subprocess.PIPE)
        return float(done.stdout)

    def run_reported(self, name: str, *options: str) -> tuple:
        file = Path(self.reports.name) / name
        turn = self.run(self.inside("--json", "--report-file", str(file), *options), ROUND_S)
        lines = file.read_text().splitlines()
        return turn, max(map(json.loads, lines), key=lambda report: report["calls"])

    def watch_tuning(self):
        program = subprocess.Popen([*self.inside(), str(self.seconds)], env=self.environment,
                                   stdout=subprocess.DEVNULL)
        begin, told = time.monotonic(), set()
        while program.poll() is None:
            time.sleep(LOOK_S)
            status = self.status()
            if not status:
                continue
            self.show(time.monotonic() - begin, status, told)
        if program.returncode != 0:
            sys.exit(f"the program ended with code {program.returncode}")
        if sys.stdout.isatty():
            print("\r\x1b[K", end="")

    def show(self, seconds: float, status: dict, told: set):
        is_live = sys.stdout.isatty()
        for plan in status["latest"]:
            identity = (plan["problem"], plan["vendor"], plan["config"])
            if identity in told:
                continue
            told.add(identity)
            clear = "\r\x1b[K" if is_live else ""
            print(f"{clear}  {seconds:5.1f} s  {plan['speedup']:5.2f}x  {plan['problem']}", flush=True)
        now = f"{status['current']}, trial {status['current_trials']}" if status["current"] else "nothing"
        line = (f"  {seconds:5.1f} s  {status['trials']} trials, {status['plans_found']} plans, "
                f"{status['waiting']} wait; now {now}")
        if is_live:
            print(f"\r\x1b[K{line[:os.get_terminal_size().columns - 1]}", end="", flush=True)
        elif int(seconds / LOOK_S) % 10 == 0:
            print(line, flush=True)

    def compare(self) -> tuple:
        """Ratios of rounds, and the reports of the last round: of the library alone, and of Triode."""
        ratios = []
        for number in range(1, ROUNDS + 1):
            without = self.run(self.command, ROUND_S)
            with_triode, tuned = self.run_reported(f"tuned.{number}")
            ratios.append(without / with_triode)
            print(f"  round {number}: without {without:8.1f} us a turn, with Triode {with_triode:8.1f} us: "
                  f"{ratios[-1]:.2f}x", flush=True)
        _, plain = self.run_reported("plain", "--mode", "observe")
        return ratios, plain, tuned

    def trials_of(self, problem: str, config: str) -> tuple:
        """How many configs were tried, and the time of this one over the best that any of them showed."""
        text = self.tell("cache", "show", problem, "--json")
        if not text:
            return 0, None
        configs = [each for device in json.loads(text)["devices"] for each in device["configs"]]
        times = {each["config"]: each["median_ns"] for each in configs if each["outcome"] == "ok"}
        return len(configs), times[config] / min(times.values()) if config in times else None


def geomean(values: list) -> float:
    return math.exp(statistics.fmean(map(math.log, values))) if values else 1.0


def rows_of(demo: Demo, plain: dict, tuned: dict) -> list:
    vendors = {row["problem"]: row["by_vendor"]["mean_ns"] for row in plain["problems"]}
    rows = []
    for row in tuned["problems"]:
        calls = row["by_vendor"]["calls"] + row["by_triode"]["calls"]
        vendor_ns = vendors.get(row["problem"], row["by_vendor"]["mean_ns"])
        ours_ns = row["by_triode"]["mean_ns"] if row["plan"] == "tuned" else vendor_ns
        if not calls or not vendor_ns or not ours_ns:
            continue
        trials, regret = demo.trials_of(row["problem"], row["config"])
        rows.append({**row, "calls": calls, "vendor_ns": vendor_ns, "ours_ns": ours_ns, "trials": trials,
                     "regret": regret})
    return rows


def print_table(rows: list):
    print("   calls   vendor   Triode  in the program  raced  trials  problem")
    for row in sorted(rows, key=lambda row: -row["calls"] * row["vendor_ns"]):
        raced = f"{row['speedup']:5.2f}x" if row["plan"] == "tuned" else "     -"
        print(f"{row['calls']:8d} {row['vendor_ns'] / 1e3:5.1f} us {row['ours_ns'] / 1e3:5.1f} us "
              f"{row['vendor_ns'] / row['ours_ns']:14.2f}x {raced} {row['trials']:7d}  {row['problem']}"
              f"{'' if row['plan'] == 'tuned' else ' (' + row['plan'] + ')'}")


def tell_totals(demo: Demo, rows: list, ratios: list, plain: dict):
    vendor_ns = sum(row["calls"] * row["vendor_ns"] for row in rows)
    ours_ns = sum(row["calls"] * row["ours_ns"] for row in rows)
    tuned = [row for row in rows if row["plan"] == "tuned"]
    print(f"matmuls, weighted by calls: {vendor_ns / ours_ns:.2f}x in the program; kernels as raced by the tuner: "
          f"geometric mean {geomean([row['speedup'] for row in tuned]):.2f}x over {len(tuned)} of {len(rows)} kinds")
    share = plain["time_ns"] / (ROUND_S * 1e9)
    print(f"the whole program: {statistics.median(ratios):.2f}x (median of {len(ratios)} rounds, "
          f"{min(ratios):.2f} to {max(ratios):.2f}); without Triode matmuls take {100 * share:.0f} % of its time")
    regrets = [100 * (row["regret"] - 1) for row in tuned if row["regret"]]
    if regrets:
        print(f"regret, estimated: plans take {statistics.median(regrets):.1f} % longer (median; worst "
              f"{max(regrets):.1f} %) than the best time that any trial for the same call showed for a moment")
    status = demo.status()
    print(f"{sum(row['trials'] for row in rows)} configs were tried for these {len(rows)} kinds; tuner pid "
          f"{status.get('pid')}, {status.get('trials')} trials in all, {status.get('failed_trials')} failed, ranked by "
          f"{status.get('model') or 'heuristics'}")
    print(f"the program's BLAS ran on {demo.threads} of {os.cpu_count()} cores; the cache is {demo.cache}")


def main():
    demo = Demo(*sys.argv[1:5], sys.argv[5:])
    print(f"tuner pid {demo.status().get('pid')}, BLAS threads {demo.threads}")
    demo.watch_tuning()
    print("\nagain, warm from the start; without and with Triode in turns")
    ratios, plain, tuned = demo.compare()
    rows = rows_of(demo, plain, tuned)
    print()
    print_table(rows)
    print()
    tell_totals(demo, rows, ratios, plain)


if __name__ == "__main__":
    main()
