# SPDX-License-Identifier: Apache-2.0
"""Prints how well models of the shipped recipe choose, each figure beside its goal.

Usage: learning_table.py FOLDER [--programs FOLDER] [--keep FOLDER] [--threads N] [--only NAME...]

FOLDER holds mm_a100.csv.gz, mm_h100_half.csv.gz and square_a100_full_space.csv.gz, or cpu_x86_1t.trials.gz as
learner/data does; what needs a file that is not there is left out. --programs: where triode-train and triode-eval
are (default: build/bin). --keep: where the reports and the snapshot go (default: a folder that is removed).
--only: some of grouped, shift, transfer, space, cpu. Everything of the GPUs trains twelve models: an hour on one
thread.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

A100, H100, SPACE = "mm_a100.csv.gz", "mm_h100_half.csv.gz", "square_a100_full_space.csv.gz"
CPU = "cpu_x86_1t.trials.gz"


class Runner:
    def __init__(self, options: argparse.Namespace, keep: pathlib.Path) -> None:
        self.options, self.keep = options, keep

    def data(self, *names: str) -> list[str]:
        return [str(self.options.folder / name) for name in names]

    def run(self, program: str, *arguments: str) -> str:
        command = [str(self.options.programs / program), *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def evaluate(self, name: str, *arguments: str) -> dict:
        threads = ["--threads", str(self.options.threads)]
        text = self.run("triode-eval", *arguments, *threads, "--json")
        (self.keep / f"{name}.json").write_text(text, encoding="utf-8")
        return json.loads(text)


def show(what: str, value: float, goal: float, spread: float | None = None) -> None:
    spread_text = "" if spread is None else f" ± {spread:.4f}"
    print(f"| {what} | {value:.4f}{spread_text} | {goal} | {'yes' if value <= goal else 'no'} |", flush=True)


def grouped(runner: Runner) -> None:
    report = runner.evaluate("grouped", "--data", *runner.data(A100, H100), "--split", "grouped")
    goals = {"a100": (1.014, 1.003, 1.17), "h100": (1.017, 1.004, 1.21)}
    for device, (first, third, tail) in goals.items():
        by_k = report["regret"][device]
        for k, goal in (("1", first), ("3", third)):
            show(f"{device}, unseen shapes, k = {k}", by_k[k]["geomean"], goal, by_k[k]["fold_deviation"])
        show(f"{device}, unseen shapes, k = 1, 99th percentile", by_k["1"]["p99"], tail)
    print(f"| split {report['split']['digest'][:16]} | | | |")


def shift(runner: Runner) -> None:
    report = runner.evaluate("shift", "--data", *runner.data(A100), "--split", "shift")
    for k, goal in (("1", 1.035), ("3", 1.013)):
        show(f"a100, synthetic to real shapes, k = {k}", report["regret"]["a100"][k]["geomean"], goal)
    print(f"| split {report['split']['digest'][:16]} | | | |")


def transfer(runner: Runner) -> None:
    snapshot = str(runner.keep / "a100.snapshot")
    runner.run("triode-train", "--data", *runner.data(A100), "--except-shapes-of", *runner.data(H100),
               "--output", snapshot, "--threads", str(runner.options.threads))
    report = runner.evaluate("transfer", "--data", *runner.data(H100), "--model", snapshot, "--online")
    windows = report["online"]["learning"]["h100"]["windows"]
    for window in windows:
        goal = 1.025 if window["to"] <= 200 else 1.018 if window["to"] <= 400 else 1.013
        show(f"a100 to h100, three timings, problems {window['from']} to {window['to']}",
             window["best"]["geomean"], goal)
    show("a100 to h100, first choice at the end", windows[-1]["first"]["geomean"], 1.035)


def space(runner: Runner) -> None:
    report = runner.evaluate("space", "--data", *runner.data(SPACE), "--device", "a100", "--split", "each",
                             "--online", "--timings", "32", "--batch", "8")
    by_timings = report["online"]["learning"]["a100"]["by_timings"]
    for timings, goal in ((8, 1.03), (16, 1.01), (32, 1.005)):
        show(f"a100, 8,640 configs, a size left out, {timings} timings", by_timings[timings - 1], goal)


def cpu(runner: Runner) -> None:
    report = runner.evaluate("cpu", "--data", *runner.data(CPU), "--split", "grouped")
    for device, by_k in report["regret"].items():
        for k, goal in (("1", 1.08), ("3", 1.03), ("8", 1.015)):
            show(f"{device}, unseen shapes, k = {k}", by_k[k]["geomean"], goal, by_k[k]["fold_deviation"])
    print(f"| split {report['split']['digest'][:16]} | | | |")


PARTS = {"grouped": (grouped, (A100, H100)), "shift": (shift, (A100,)),
         "transfer": (transfer, (A100, H100)), "space": (space, (SPACE,)), "cpu": (cpu, (CPU,))}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(arguments)
    print("| regret, geometric mean ± deviation between folds | measured | goal | reached |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep or pathlib.Path(scratch)
        keep.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            part, files = PARTS[name]
            if all((options.folder / file).exists() for file in files):
                part(Runner(options, keep))
            else:
                print(f"{name}: {options.folder} lacks {' or '.join(files)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
