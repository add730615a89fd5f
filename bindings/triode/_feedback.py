# SPDX-License-Identifier: Apache-2.0
"""What Inductor times, kept: every timing goes to Triode's cache, and tells how far off the model was."""

import math
import threading
import time
import warnings
from typing import Any

from ._cpu_choices import CpuChoices, is_ours
from ._selection import Selection, is_vendor
from ._template_problem import Inexact, Untold, config_of, exact_problem_of
from ._triode import leave_cpu_timing, leave_timings


class Benchmarks:
    """Tells timings that Inductor just measured from those that it found in its own cache, which it hands to
    feedback savers alike: autotune() of its selector runs for the former alone, on the thread that calls the savers.
    On a torch without it every timing passes for measured."""

    def __init__(self, selector: Any) -> None:
        self._selector = selector
        self._thread = threading.local()
        self._before = vars(selector).get("autotune")
        original = getattr(selector, "autotune", None)
        self._watching = None if original is None else self._watched(original)
        if self._watching is not None:
            selector.autotune = self._watching

    def has_run(self) -> bool:
        """Whether one ran on this thread since this was last asked."""
        has_run = self._watching is None or getattr(self._thread, "has_run", False)
        self._thread.has_run = False
        return has_run

    def forget(self) -> None:
        """Stops watching, unless another watches by now what watched."""
        if self._watching is None or vars(self._selector).get("autotune") is not self._watching:
            return
        if self._before is None:
            del self._selector.autotune
        else:
            self._selector.autotune = self._before

    def _watched(self, original: Any) -> Any:
        def autotune(*args: Any, **options: Any) -> Any:
            timings = original(*args, **options)
            self._thread.has_run = True
            return timings

        return autotune


class Feedback:
    """A feedback saver of Inductor. Called by it after each autotuning, on any thread; a failure to keep timings
    is told once and never fails a compilation."""

    def __init__(
        self, selection: Selection, cpu: CpuChoices | None, benchmarks: Benchmarks, toolchain: str, cache: str
    ) -> None:
        self._selection = selection
        self._cpu = cpu
        self.benchmarks = benchmarks
        self._toolchain = toolchain
        self._cache = cache
        self._has_warned = False

    # Older torch has one argument less.
    def __call__(
        self, timings: Any, name: str, input_nodes: Any, choices: Any, profiled_time_fn: Any, *rest: Any
    ) -> None:
        has_run = self.benchmarks.has_run()
        told = [
            (choice.annotations["ktc"], time_ms)
            for choice, time_ms in timings.items()
            if "ktc" in choice.annotations
        ]
        ranked = [(one, config, time_ms) for one, time_ms in told if (config := config_of(one)) is not None]
        on_cpu = [(one, time_ms) for one, time_ms in told if is_ours(one) and math.isfinite(time_ms)]
        if not ranked and not on_cpu:
            return
        if not has_run:
            # They were kept when they were measured.
            return self._selection.count("timings_from_inductors_cache", len(ranked) + len(on_cpu))
        self._note_error(ranked, choices)
        try:
            if ranked:
                self._keep(name, told, ranked)
            for one, time_ms in on_cpu:
                self._keep_on_cpu(one, time_ms, _vendor_ms(told))
        except Inexact as reason:
            self._selection.count(f"feedback_not_kept_{reason}", len(ranked))
        except (Untold, NotImplementedError):
            self._selection.count("feedback_unsupported")
        except Exception as error:
            self._selection.count("feedback_lost", len(ranked) + len(on_cpu))
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(f"triode could not keep the timings of {name}: {error}", stacklevel=2)

    def _note_error(self, ranked: list[Any], choices: Any) -> None:
        """Choices keep the order they were handed over in, the model's favourite first, unless it was not asked."""
        order = {id(choice.annotations.get("ktc")): position for position, choice in enumerate(choices)}
        ran = [
            (order.get(id(one), len(order)), time_ms)
            for one, _, time_ms in ranked
            if math.isfinite(time_ms) and self._selection.has_ordered(one)
        ]
        if len(ran) > 1:
            self._selection.note_timings(min(ran)[1], min(time_ms for _, time_ms in ran))

    def _keep(self, name: str, told: list[Any], ranked: list[Any]) -> None:
        first = ranked[0][0]
        inputs = first.inputs
        leave_timings(
            gpu=self._selection.gpu_of_device(inputs.device()).name,
            toolchain=self._toolchain,
            problem=exact_problem_of(inputs, name, first),
            rows=[(config, time_ms if math.isfinite(time_ms) else None) for _, config, time_ms in ranked],
            vendor_ms=_vendor_ms(told),
            when_unix_s=int(time.time()),
            cache=self._cache,
        )
        self._selection.count("timings_kept", len(ranked))

    def _keep_on_cpu(self, ours: Any, time_ms: float, vendor_ms: float | None) -> None:
        if self._cpu is None:
            return
        kernels = self._cpu.kernels
        kernel = kernels.find(self._cpu.problem_of(ours.inputs, ours.extra_kwargs))
        leave_cpu_timing(
            target=kernels.device.target,
            problem=kernel.problem,
            config=kernel.config,
            ms=time_ms,
            vendor_ms=vendor_ms,
            when_unix_s=int(time.time()),
            cache=self._cache,
        )
        self._selection.count("timings_kept")


def _vendor_ms(told: list[Any]) -> float | None:
    return min((time_ms for one, time_ms in told if is_vendor(one) and math.isfinite(time_ms)), default=None)
