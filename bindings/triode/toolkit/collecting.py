# SPDX-License-Identifier: Apache-2.0
"""`triode collect`, `collect-shapeset` and `create-validation`.

On a gpu torch.compile times its kernels, into diode's files. On a CPU the file's name says what is wanted: Triode's
own kernels by `triode-collect` (`.trials.gz`, which train a model), or what torch.compile has (`.json`, `.msgpack`).
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..collection.shapes import VALIDATION, Planned, Size, group_of, planned_shapes, shape_group, shapes_of_set
from ..types import Dataset, DType, OperationShapeSet, read_file
from . import options, programs, trials
from .trials import TRIALS

# Configs of each shape that are tried on a CPU, whose whole space has millions.
CPU_CONFIGS = {"EXHAUSTIVE": 100, "DEFAULT": 25}
# Of Triode's CPU kernels.
CPU_DTYPES = {"float32": "f32", "float64": "f64"}


def collect(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("collect")
    parser.add_argument("--output")
    options.add_shapes(parser, 100)
    options.add_search(parser)
    given = parser.parse_args(arguments)
    return gather(given, planned(given, "training"), "matmul_dataset")


def collect_shapeset(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("collect-shapeset")
    parser.add_argument("--output")
    parser.add_argument("--shapeset", required=True)
    options.add_search(parser)
    given = parser.parse_args(arguments)
    return gather(given, of_set(given), "operation_shapeset_data")


def create_validation(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("create-validation")
    parser.add_argument("--output")
    parser.add_argument("--shapeset")
    parser.add_argument("--exclude", nargs="+", default=[])
    options.add_shapes(parser, 30)
    options.add_search(parser)
    given = parser.parse_args(arguments)
    seen = frozenset(group for file in given.exclude for group in groups_in(file))
    if given.shapeset:
        plan = [one for one in of_set(given) if group_of(one.shape) not in seen]
    else:
        plan = planned(given, VALIDATION, exclude=seen)
    return gather(given, plan, "matmul_validation_dataset")


def groups_in(file: str) -> set[Size]:
    """The sizes that a file has timings of, sorted each."""
    if file.endswith(TRIALS):
        return {shape_group((one.m, one.n, one.k)) for one in trials.problems_of(file)}
    return {group_of(row.shape) for row in read_file(file, Dataset).timings()}


def planned(given: Any, purpose: str, **others: Any) -> list[Planned]:
    """The shapes that are drawn for these options."""
    is_cpu = given.device == "cpu"
    dtypes = given.dtypes or (["float32"] if is_cpu else ["float16", "bfloat16"])
    limits = {"most_flops": given.most_flops} if is_cpu else {}
    return planned_shapes(
        options.shape_options(
            given, purpose, operations=given.operations, dtypes=[DType(one) for one in dtypes], **limits, **others
        )
    )


def of_set(given: Any) -> list[Planned]:
    """The shapes of a file; on a CPU those that are not too large for it."""
    listed = shapes_of_set(read_file(given.shapeset, OperationShapeSet), given.operations)
    if given.device != "cpu":
        return listed
    kept = [one for one in listed if 2 * one.shape.B * one.shape.M * one.shape.N * one.shape.K <= given.most_flops]
    left_out = f"{len(listed) - len(kept)} of {len(listed)} shapes of {given.shapeset} take more than {given.most_flops:g} flops"
    if listed and not kept:
        raise programs.Failure(f"{left_out}; --most-flops F allows more")
    if len(kept) < len(listed):
        print(f"{left_out} and are left out; --most-flops F allows more", file=sys.stderr)
    return kept


def gather(given: Any, plan: list[Planned], name: str) -> dict[str, Any]:
    """Times the planned shapes into the output file."""
    output = output_of(given, name)
    output.parent.mkdir(parents=True, exist_ok=True)
    if output.name.endswith(TRIALS):
        return _natively(given, plan, output)
    from ..collection.inductor_runs import RunOptions, collect_through_inductor

    if given.configs or given.cache or given.trial_ms:
        raise options.WrongUsage(
            f"--configs, --trial-ms and --cache are of Triode's own kernels: --output FILE{TRIALS}"
        )
    counts = collect_through_inductor(
        plan,
        output,
        RunOptions(
            device=given.device,
            search_mode=given.search_mode or RunOptions.search_mode,
            search_space=given.search_space,
            chunk_size=given.chunk_size,
            quiet=given.quiet,
        ),
    )
    return {"output": str(output), **asdict(counts)}


def output_of(given: Any, name: str) -> Path:
    """The file that was named, else the usual one; `--format` decides how it ends."""
    is_trials = given.device == "cpu" and not given.format
    output = Path(given.output or name + (TRIALS if is_trials else f".{given.format or 'json'}"))
    if output.name.endswith(TRIALS):
        if given.device != "cpu":
            raise options.WrongUsage(
                f"FILE{TRIALS} holds timings of a CPU; with --device {given.device} name FILE.json"
            )
        if given.format:
            raise options.WrongUsage(f"--format {given.format} is not that of FILE{TRIALS}")
        return output
    if given.format:
        return output.with_suffix(f".{given.format}")
    if output.suffix not in (".json", ".msgpack"):
        raise options.WrongUsage(f"--output {output}: it must end in .json, .msgpack or, on a CPU, {TRIALS}")
    return output


def _natively(given: Any, plan: list[Planned], output: Path) -> dict[str, Any]:
    if given.search_mode:
        raise options.WrongUsage("--search-mode is of torch.compile: name --output FILE.json")
    shapes = _native_shapes(plan)
    size = given.chunk_size or len(shapes)
    if size < 1:
        raise options.WrongUsage(f"--chunk-size {size}: a chunk has one shape at least")
    stem = output.name.removesuffix(TRIALS)
    totals = {"problems": 0, "known": 0, "measured": 0, "failed": 0}
    for number, first in enumerate(range(0, len(shapes), size), 1):
        name = f"{stem}_{number}" if given.chunk_size else stem
        counts = _collect_part(given, shapes[first : first + size], output.with_name(name))
        totals = {key: totals[key] + counts[key] for key in totals}
    return {"output": str(output), **totals}


def _native_shapes(plan: list[Planned]) -> list[str]:
    shapes: dict[str, None] = {}
    for one in plan:
        dtype = CPU_DTYPES.get(one.shape.M_dtype, "f32")
        shapes[f"mm {dtype} {one.shape.M}x{one.shape.N}x{one.shape.K} nn"] = None
    others = sum(one.operation != "mm" or one.shape.M_dtype not in CPU_DTYPES for one in plan)
    if others:
        print(f"{others} of {len(plan)} shapes are timed as the f32 or f64 mm that they contain", file=sys.stderr)
    return list(shapes)


def _collect_part(given: Any, shapes: list[str], stem: Path) -> dict[str, Any]:
    """Trials are kept in a cache beside the file, by which a stopped collection goes on."""
    cache = given.cache or f"{stem}.cache"
    listed = Path(f"{stem}.shapes")
    listed.write_text("".join(f"{shape}\n" for shape in shapes))
    arguments = ["--cache", cache, "--shapes", listed, "--dtype", "f32", "--threads", given.threads]
    arguments += ["--configs", given.configs or CPU_CONFIGS[given.search_space], "--seed", given.seed]
    arguments += ["--most-flops", given.most_flops]
    if given.trial_ms:
        arguments += ["--trial-ms", given.trial_ms]
    counts = programs.run_json("collect", arguments + ["--quiet"] * given.quiet)
    exported = Path(f"{stem}.exported")
    programs.run("collect", ["--cache", cache, "--export", exported])
    trials.keep_only(exported, shapes, f"{stem}{TRIALS}")
    exported.unlink()
    listed.unlink()
    return counts
