# SPDX-License-Identifier: Apache-2.0
"""Which of the choices that torch.compile has for a matmul are worth its time. Imports torch nowhere."""

import hashlib
import itertools
import math
import struct
import threading
import weakref
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import Any, Callable

from . import _own_candidates
from ._cpu_choices import is_ours
from ._template_problem import (
    EIGHT_BITS,
    Untold,
    config_in_sixteen_bits,
    config_of,
    in_sixteen_bits,
    problem_of,
)
from ._triode import Gpu, Problem, TemplateRanker

# An op or device that the model was not trained on keeps so many times the candidates.
EXTRAPOLATED_KEEPS = 2
# A dimension that varies is looked at in these multiples of its hint.
VARYING_SIZES = (0.5, 1.0, 2.0)
# Where one choice is asked for, ops that come in several calls of the hook keep the vendor beside it: the
# call that sees the templates does not see the vendor's.
OPS_IN_ONE_CALL = frozenset({"mm", "bmm"})
# Ops that are ranked as another matmul, which is one that the model was trained on.
STANDING_FOR_OTHERS = frozenset({"mm_plus_mm", "scaled_mm", "int_mm"})
KEPT_RANKINGS = 4096
RECENT_ERRORS = 64


@dataclass(frozen=True)
class Options:
    """What install() was asked for."""

    top_k: int = 3
    threshold: float = 1.1
    fallback: bool = True
    own_candidates: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.top_k, int) or isinstance(self.top_k, bool) or self.top_k < 1:
            raise ValueError(f"top_k is {self.top_k!r}; it must be a whole number, 1 or more")
        if not math.isfinite(self.threshold) or self.threshold < 1:
            raise ValueError(
                f"threshold is {self.threshold!r}; it must be 1 or more: candidates predicted within that factor of the best are kept"
            )


@dataclass
class Explanation:
    """Why an op got the choices it got; explain() shows these. Of an op on the CPU, `kept` is the kernel of Triode's that
    joined, which no model compares with the others: Inductor times them."""

    op: str
    problem: str
    device: str
    support: str
    candidates: int
    unfit: int
    threshold: float
    kept: list[dict[str, Any]] = field(default_factory=list)
    vendor_us: float | None = None
    best_us: float | None = None
    alone: str | None = None  # "ours" or "vendor", where one choice was handed over


class Selection:
    """Ranks template choices by a model. Any thread may select; counters are exact."""

    def __init__(self, ranker: TemplateRanker, options: Options, gpu_of_device: Callable[[Any], Gpu]) -> None:
        self.ranker = ranker
        self.options = options
        self.gpu_of_device = gpu_of_device
        self._lock = threading.Lock()
        self._counters: Counter[str] = Counter()
        self._errors: deque[float] = deque(maxlen=RECENT_ERRORS)
        self._rankings: OrderedDict[Any, _Ranked] = OrderedDict()
        self._explanations: OrderedDict[str, Explanation] = OrderedDict()
        # Choices that were handed over in the model's order.
        self._ordered: weakref.WeakSet[Any] = weakref.WeakSet()

    def uuid(self) -> tuple[Any, ...]:
        """What decides the choices: part of the key of compiled graphs."""
        options = self.options
        return ("triode", self.ranker.digest, options.top_k, options.threshold, options.own_candidates)

    def select(self, choices: list[Any], inputs: Any, op_name: str) -> list[Any]:
        """Those of `choices` worth timing, in their order of preference. Whatever the model has nothing to say
        of is kept as it is."""
        self.count("total_calls")
        read = [(choice, config_of(choice)) for choice in choices]
        ranked = [(choice, config) for choice, config in read if config is not None]
        passed = [choice for choice, config in read if config is None]
        self.count("templates_passed_through", sum(1 for choice in passed if not is_vendor(choice)))
        if not ranked:
            return self.fall_back("nothing_to_rank", choices)
        try:
            picks = self._pick(ranked, inputs, op_name)
        except (Untold, NotImplementedError) as unsupported:
            return self.fall_back("unsupported", choices, op_name, str(unsupported))
        if not picks.kept:
            return self.fall_back("nothing_fits", choices)
        self.count("model_selections")
        self.count("configs_filtered", max(0, len(ranked) - len(picks.kept)))
        with self._lock:
            self._ordered.update(picks.kept)
        alone = self._alone(picks, passed, op_name)
        if alone is not None:
            self.count("single_choices")
            return [alone]
        return passed + picks.kept

    def has_ordered(self, choice: Any) -> bool:
        """Whether the choice stands where the model put it, and not where Inductor did."""
        with self._lock:
            return choice in self._ordered

    def note_timings(self, chosen_first: float, best: float) -> None:
        """Learns how far the first choice was off: the threshold widens by the recent mean."""
        if 0 < best <= chosen_first < math.inf:
            with self._lock:
                self._errors.append(math.log(chosen_first / best))

    def threshold_now(self) -> float:
        """The factor within which candidates are kept, widened by the model's own recent error."""
        with self._lock:
            recent = sum(self._errors) / len(self._errors) if self._errors else 0.0
        return self.options.threshold * math.exp(recent)

    def counters(self) -> dict[str, int]:
        with self._lock:
            return dict(self._counters)

    def explanations(self) -> list[Explanation]:
        with self._lock:
            return list(self._explanations.values())

    def fall_back(self, reason: str, choices: list[Any], op_name: str = "", why: str = "") -> list[Any]:
        """All choices, counted under `reason`; with a `why`, explained too."""
        self.count(f"fallback_{reason}")
        if why:
            self.explain(f"{op_name}: {why}", Explanation(op_name, why, "", "unknown", len(choices), 0, 0.0))
        return choices

    def explain(self, key: str, explanation: Explanation) -> None:
        """In place of an earlier one of the same key."""
        with self._lock:
            self._explanations[key] = explanation

    def _pick(self, ranked: list[tuple[Any, tuple[int, ...]]], inputs: Any, op_name: str) -> "_Picks":
        problems = [problem_of(inputs, op_name, ranked[0][0], scale) for scale in _scales(inputs)]
        gpu = self.gpu_of_device(inputs.device())
        configs = [config for _, config in ranked]
        if self.options.own_candidates:
            configs += _own_candidates.beyond(configs, op_name)
        ranked_all = self._ranked_in_some_type(problems, gpu, configs, op_name)
        threshold = self.threshold_now()
        best = [(index, relative) for index, relative in ranked_all.best if relative <= threshold]
        explanation = ranked_all.explain(op_name, gpu, configs, best, threshold)
        self.explain(f"{explanation.problem} on {explanation.device}", explanation)
        kept = [
            ranked[position][0]
            if position < len(ranked)
            else _own_candidates.make_choice(ranked[0][0], configs[position], inputs)
            for position, _ in best
        ]
        self.count("own_candidates_kept", sum(position >= len(ranked) for position, _ in best))
        return _Picks(kept, explanation)

    def _ranked_in_some_type(
        self, problems: list[Problem], gpu: Gpu, configs: list[tuple[int, ...]], op_name: str
    ) -> "_Ranked":
        try:
            return self._ranked(problems, gpu, configs, op_name)
        except NotImplementedError:
            if problems[0].a_type not in EIGHT_BITS:
                raise
        halved = [config_in_sixteen_bits(config) for config in configs]
        ranked = self._ranked([in_sixteen_bits(one) for one in problems], gpu, halved, op_name)
        return replace(ranked, problem=str(_middle(problems)))

    def _ranked(
        self, problems: list[Problem], gpu: Gpu, configs: list[tuple[int, ...]], op_name: str
    ) -> "_Ranked":
        """By the model, once for the same question: the threshold, which moves with every timing, has no part in it."""
        key = (tuple(problems), op_name, gpu.name, _digest(configs))
        with self._lock:
            known = self._rankings.get(key)
            if known is not None:
                self._rankings.move_to_end(key)
        if known is not None:
            self.count("ranking_cache_hits")
            return known
        ranked = self._rank(problems, gpu, configs, op_name)
        with self._lock:
            self._rankings[key] = ranked
            if len(self._rankings) > KEPT_RANKINGS:
                self._rankings.popitem(last=False)
        return ranked

    def _rank(
        self, problems: list[Problem], gpu: Gpu, configs: list[tuple[int, ...]], op_name: str
    ) -> "_Ranked":
        more = self.options.top_k * EXTRAPOLATED_KEEPS
        count = more if op_name in STANDING_FOR_OTHERS else self.options.top_k
        middle = _middle(problems)
        ranking = self.ranker.rank(middle, gpu, configs, count, more)
        is_told = ranking.support == "in support" and op_name not in STANDING_FOR_OTHERS
        best = [(pick.index, pick.relative_time) for pick in ranking.picks]
        if len(problems) > 1:
            best = self._robust(problems, gpu, configs, count if is_told else more)
        return _Ranked(
            best=tuple(best),
            problem=str(middle),
            support=ranking.support if is_told else "extrapolated",
            unfit=ranking.unfit,
            vendor_us=None if ranking.vendor_s is None else ranking.vendor_s * 1e6,
            best_us=None if ranking.best_s is None else ranking.best_s * 1e6,
        )

    def _robust(
        self, problems: list[Problem], gpu: Gpu, configs: list[tuple[int, ...]], count: int
    ) -> list[tuple[int, float]]:
        """Configs that do well in every size, by the mean of their ln time; one that is not among the best of a
        size counts there as its last."""
        wide = max(32, 8 * count)
        sums: Counter[int] = Counter()
        for problem in problems:
            times = {
                p.index: math.log(p.relative_time)
                for p in self.ranker.rank(problem, gpu, configs, wide, wide).picks
            }
            worst = max(times.values(), default=0.0)
            for index in range(len(configs)):
                sums[index] += times.get(index, worst)
        best = sorted(sums, key=lambda index: (sums[index], index))[:count]
        return [(index, math.exp((sums[index] - sums[best[0]]) / len(problems))) for index in best]

    def _alone(self, picks: "_Picks", passed: list[Any], op_name: str) -> Any | None:
        """The one choice to hand over, where one was asked for and the model can tell: Inductor then neither
        compiles nor times any other."""
        told = picks.explanation
        if self.options.top_k != 1 or op_name not in OPS_IN_ONE_CALL or told.support != "in support":
            return None
        if any(not is_vendor(choice) for choice in passed):
            return None
        vendors = [choice for choice in passed if is_vendor(choice)]
        if (
            vendors
            and told.vendor_us is not None
            and told.best_us is not None
            and told.vendor_us < told.best_us
        ):
            told.alone = "vendor"
            return vendors[0]
        told.alone = "ours"
        return picks.kept[0]

    def count(self, name: str, by: int = 1) -> None:
        if by:
            with self._lock:
                self._counters[name] += by


@dataclass(frozen=True)
class _Ranked:
    """What the model said of one problem: the best by their place among the configs, with their relative times."""

    best: tuple[tuple[int, float], ...]
    problem: str
    support: str
    unfit: int
    vendor_us: float | None
    best_us: float | None

    def explain(
        self,
        op_name: str,
        gpu: Gpu,
        configs: list[tuple[int, ...]],
        kept: list[tuple[int, float]],
        threshold: float,
    ) -> Explanation:
        return Explanation(
            op=op_name,
            problem=self.problem,
            device=gpu.name,
            support=self.support,
            candidates=len(configs),
            unfit=self.unfit,
            threshold=threshold,
            kept=[{"config": configs[index], "relative_time": relative} for index, relative in kept],
            vendor_us=self.vendor_us,
            best_us=self.best_us,
        )


def _middle(problems: list[Problem]) -> Problem:
    """Of the sizes that are looked at, the one that was hinted."""
    return problems[len(problems) // 2]


def _digest(configs: list[tuple[int, ...]]) -> bytes:
    """Of over ten thousand where own candidates are ranked, too many to keep for every problem."""
    values = list(itertools.chain.from_iterable(configs))
    return hashlib.sha256(struct.pack(f"{len(values)}q", *values)).digest()


@dataclass
class _Picks:
    kept: list[Any]
    explanation: Explanation


def is_vendor(choice: Any) -> bool:
    """Whether the choice is the library's own kernel (cuBLAS through ATen), which is never dropped."""
    return str(getattr(choice.template, "uid", "")).startswith("aten") and not is_ours(choice)


def _scales(inputs: Any) -> list[tuple[float, float, float, float]]:
    """Multiples of (batch, m, n, k) to look at: one, or several of each dimension that varies."""
    a, b = inputs.mat1mat2()
    # Of the stacks of matrices; in one matrix no size stands before the last two.
    batches = [*a.get_size()[:-2], *b.get_size()[:-2]]
    varies = [
        any(not _is_fixed(size) for size in batches),
        *(not _is_fixed(size) for size in inputs.mnk_symbolic()),
    ]
    if not any(varies):
        return [(1, 1, 1, 1)]
    return [tuple(factor if v else 1 for v in varies) for factor in VARYING_SIZES]  # type: ignore[misc]


def _is_fixed(size: Any) -> bool:
    return isinstance(size, int) or getattr(size, "is_number", False)
