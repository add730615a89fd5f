# SPDX-License-Identifier: Apache-2.0
"""Which matmuls to collect: random ones, log-normal ones as in real models, or those of a file. Without torch."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..types import MMShape, OperationShapeSet

OPERATIONS = ("mm", "addmm", "bmm")
Size = tuple[int, int, int]  # m, n, k

# Draws in a row that bring nothing new before a range counts as exhausted.
MOST_REPEATS = 10_000
# Log-normal sizes are multiples of this.
LOG_NORMAL_STEP = 8
# Opens the seed of a validation set, so that the same seed gives it other shapes than a training set.
VALIDATION = "validation"


@dataclass(frozen=True)
class Planned:
    """One matmul to collect timings of."""

    operation: str
    shape: MMShape


@dataclass(frozen=True)
class LogNormal:
    """Mean and standard deviation of ln m, ln n, ln k: diode's, fitted to real models."""

    m_mean: float = 6.5725472164323095
    m_std: float = 2.556199441605505
    n_mean: float = 5.913930073563466
    n_std: float = 1.66968141897024
    k_mean: float = 6.204916071423808
    k_std: float = 2.1646646856090177

    def __post_init__(self) -> None:
        if min(self.m_std, self.n_std, self.k_std) < 0:
            raise ValueError("a standard deviation must not be negative")


@dataclass(frozen=True)
class ShapeOptions:
    """How sizes are drawn. `min_size` and `max_size` bound every dimension; None does not."""

    num_shapes: int = 100
    min_size: int | None = 32
    max_size: int | None = 4096
    power_of_two: bool = False
    rectangular: bool = True  # else m = n = k
    odd_sizes: bool = True  # else even ones alone
    log_normal: LogNormal | None = None
    seed: int = 42
    purpose: str = "training"
    operations: Sequence[str] = OPERATIONS
    dtypes: Sequence[str] = ("float16", "bfloat16")
    batch_sizes: Sequence[int] = (1, 4, 16, 64)  # of bmm
    exclude: frozenset[Size] = field(default=frozenset())  # sorted sizes that must not come up
    most_flops: float = math.inf  # larger matmuls are drawn again

    def __post_init__(self) -> None:
        low, high = self.min_size or 1, self.max_size or 1 << 20
        if self.num_shapes < 1:
            raise ValueError(f"num_shapes is {self.num_shapes}; at least one shape is needed")
        if not 1 <= low <= high:
            raise ValueError(f"sizes from {low} to {high}: there are none")
        if not self.operations or not set(self.operations) <= set(OPERATIONS):
            raise ValueError(f"operations are {', '.join(OPERATIONS)}, not {', '.join(self.operations)}")


def planned_shapes(options: ShapeOptions) -> list[Planned]:
    """So many different matmuls, each with an operation and a type drawn for it. The same options give the same."""
    draw = random.Random(f"{options.purpose} {options.seed}")
    next_size = _log_normal_size(options, draw) if options.log_normal else _uniform_size(options, draw)
    planned: dict[Size, Planned] = {}
    repeats = 0
    while len(planned) < options.num_shapes:
        size = next_size()
        if size is None or size in planned or _is_excluded(size, options):
            repeats += 1
            if repeats > MOST_REPEATS:
                raise ValueError(
                    f"only {len(planned)} of {options.num_shapes} different sizes came up; widen the range or "
                    "ask for fewer"
                )
            continue
        repeats = 0
        operation = draw.choice(list(options.operations))
        batch = draw.choice(list(options.batch_sizes)) if operation == "bmm" else 1
        shape = MMShape.plain(*size, dtype=draw.choice(list(options.dtypes)), batch=batch)
        planned[size] = Planned(operation, shape)
    return list(planned.values())


def shapes_of_set(shapes: OperationShapeSet, operations: Iterable[str]) -> list[Planned]:
    """The shapes of a set under their own operation, each once. ValueError if it has none of them."""
    planned = {
        Planned(operation, shape): None
        for operation in operations
        for shape in shapes.get_shapes_for_operation(operation)
    }
    if not planned:
        raise ValueError(
            f"the shape set has {', '.join(shapes.get_operation_names()) or 'no operations'}, none of "
            f"{', '.join(operations)}"
        )
    return list(planned)


def shape_group(size: Iterable[int]) -> Size:
    """The same for sizes that are each other's transposes: a model that saw one is no stranger to the other."""
    return tuple(sorted(size))  # type: ignore[return-value]


def group_of(shape: MMShape) -> Size:
    return shape_group((shape.M, shape.N, shape.K))


def _is_excluded(size: Size, options: ShapeOptions) -> bool:
    return 2 * math.prod(size) > options.most_flops or shape_group(size) in options.exclude


def _uniform_size(options: ShapeOptions, draw: random.Random) -> Callable[[], Size | None]:
    low, high = options.min_size or 1, options.max_size or 1 << 20
    least, most = math.ceil(math.log2(low)), math.floor(math.log2(high))
    if options.power_of_two and least > most:
        raise ValueError(f"there is no power of two from {low} to {high}")
    if not options.odd_sizes and not options.power_of_two and low == high and low % 2:
        raise ValueError(f"there is no even size from {low} to {high}")

    def dimension() -> int:
        if options.power_of_two:
            return 1 << draw.randint(least, most)
        if options.odd_sizes:
            return draw.randint(low, high)
        return 2 * draw.randint((low + 1) // 2, high // 2)

    def size() -> Size:
        if not options.rectangular:
            return (dimension(),) * 3
        return dimension(), dimension(), dimension()

    return size


def _log_normal_size(options: ShapeOptions, draw: random.Random) -> Callable[[], Size | None]:
    told = options.log_normal or LogNormal()

    def dimension(mean: float, std: float) -> int:
        drawn = draw.lognormvariate(mean, std)
        if options.power_of_two:
            return 1 << max(0, round(math.log2(drawn)))
        return max(LOG_NORMAL_STEP, round(drawn / LOG_NORMAL_STEP) * LOG_NORMAL_STEP)

    def size() -> Size | None:
        m = dimension(told.m_mean, told.m_std)
        if not options.rectangular:
            sizes = (m, m, m)
        else:
            sizes = (m, dimension(told.n_mean, told.n_std), dimension(told.k_mean, told.k_std))
        low, high = options.min_size or 1, options.max_size or math.inf
        return sizes if all(low <= one <= high for one in sizes) else None

    return size
