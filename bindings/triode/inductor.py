# SPDX-License-Identifier: Apache-2.0
"""The model inside torch.compile: of the kernel templates that Inductor would compile and time for a matmul,
only those are kept that the model expects to be among the fastest.

    import torch, triode

    triode.install()                              # until triode.uninstall()
    compiled = torch.compile(model, mode="max-autotune-no-cudagraphs")

    with triode.install(top_k=1):                 # no timing at all: the model decides alone
        ...

Nothing else of torch's configuration is changed: without max-autotune Inductor does not look at templates.
"""

import functools
import itertools
import warnings
from dataclasses import asdict
from typing import Any

from ._cpu_choices import CpuChoices, WrongKernel
from ._feedback import Benchmarks, Feedback
from ._handlers import Registration
from ._interface import CONFIGS, check_hook, try_choosing
from ._models import load_ranker
from ._selection import Explanation, Options, Selection, is_vendor
from ._template_problem import Untold, gpu_of
from ._triode import Gpu, Problem, TemplateRanker

_installed: "Installation | None" = None
_numbers = itertools.count(1)


class Installation:
    """What install() did; a context manager that undoes it."""

    def __init__(self, selection: Selection, cpu: CpuChoices | None, why_no_cpu: str, source: str, cache: str) -> None:
        self.number = next(_numbers)  # counters begin at zero in each
        self.selection = selection
        self.cpu = cpu
        self.why_no_cpu = why_no_cpu
        self.source = source
        self._cache = cache
        self._registration: Registration | None = None
        self._feedback: Feedback | None = None

    def __enter__(self) -> "Installation":
        return self

    def __exit__(self, *_: Any) -> None:
        if _installed is self:
            uninstall()

    @property
    def way(self) -> str:
        return "" if self._registration is None else self._registration.way

    def _start(self, choices: Any) -> None:
        """All of it or, with an exception, nothing."""
        self._registration = Registration(choices, self._choose, self._uuid)
        try:
            self._feedback = _add_feedback(self.selection, self.cpu, self._cache)
        except BaseException:
            self._registration.undo()
            raise

    def _stop(self) -> None:
        if self._feedback is not None:
            _remove_feedback(self._feedback)
        if self._registration is not None:
            self._registration.undo()
        self._feedback = self._registration = None

    def _uuid(self) -> tuple[Any, ...]:
        return (*self.selection.uuid(), self.cpu and self.cpu.kernels.chooser.digest)

    def _choose(self, all_choices: list[Any], inputs: Any, op_name: str) -> list[Any]:
        try:
            return _choose(self.selection, self.cpu, all_choices, inputs, op_name)
        except Exception as error:
            if not self.selection.options.fallback:
                raise
            self.selection.count("fallback_error")
            warnings.warn(f"triode keeps all choices of {op_name}: {type(error).__name__}: {error}", stacklevel=2)
            return all_choices


def install(
    model: str | None = None,
    top_k: int = 3,
    threshold: float = 1.1,
    fallback: bool = True,
    cache: str | None = None,
    own_candidates: bool = False,
    cpu: bool = True,
) -> Installation:
    """Lets a model choose among Inductor's templates, in place of an earlier installation.

    model: the name of a shipped model, or the path of a snapshot file; None is the one promoted in the cache
        (`triode model promote`), else the shipped "gpu".
    top_k: at most so many templates are kept (twice as many for ops and devices the model was not trained on);
        the vendor's kernel stays beside them. 1 hands over one choice, ours or the vendor's, whichever the
        model expects to be faster, so that nothing is timed.
    threshold: templates predicted within this factor of the best are kept. It widens by the model's recent
        error, as Inductor's own timings show it.
    fallback: on an unexpected error keep all choices and warn, rather than fail the compilation.
    cache: folder of the cache that gets what Inductor times; None is the user's own (`triode cache path`).
    own_candidates: also rank tiles, stages and orders of tiles that Inductor does not list; what is kept of them
        is timed with the rest.
    cpu: with max-autotune, a kernel of Triode's joins the choices for mm, addmm and bmm on the CPU: the one that
        the model promoted for CPUs prefers, else the shipped "cpu-x86".

    Raises ImportError without torch, RuntimeError for a torch whose hook it does not know, FileNotFoundError
    and ValueError for a wrong model or option. Then nothing has changed. A processor that Triode's CPU kernels do not
    run on is no error: status() says so under "cpu".
    """
    global _installed
    options = Options(top_k, threshold, fallback, own_candidates)
    choices = _check_torch()
    ranker, source = load_ranker(model, cache or "")
    _check_ranker(ranker)
    selection = Selection(ranker, options, _gpu_of_device)
    cpu_choices, why_not = _cpu_choices(cache or "") if cpu else (None, "")
    before = _installed
    uninstall()
    installation = Installation(selection, cpu_choices, why_not, source, cache or "")
    try:
        _try_choosing(choices, ranker)
        installation._start(choices)
    except BaseException:
        if before is not None:
            before._start(choices)
            _installed = before
        raise
    _installed = installation
    return installation


def uninstall() -> None:
    """Puts Inductor's own choices back. Nothing happens if nothing is installed."""
    global _installed
    if _installed is not None:
        _installed._stop()
    _installed = None


def _cpu_choices(cache: str) -> tuple[CpuChoices | None, str]:
    """And why there are none."""
    try:
        return CpuChoices(cache), ""
    except NotImplementedError as unsupported:
        return None, str(unsupported)


def status() -> dict[str, Any]:
    """What is installed, and the counters since."""
    if _installed is None:
        return {"installed": False}
    selection = _installed.selection
    return {
        "installed": True,
        "installation": _installed.number,
        "way": _installed.way,
        "model": selection.ranker.name,
        "model_from": _installed.source,
        "digest": selection.ranker.digest,
        "cpu": _status_of_cpu(_installed),
        "top_k": selection.options.top_k,
        "threshold": selection.options.threshold,
        "threshold_now": selection.threshold_now(),
        "counters": selection.counters(),
    }


def _status_of_cpu(installation: Installation) -> dict[str, str] | None:
    cpu = installation.cpu
    if cpu is None:
        return {"unavailable": installation.why_no_cpu} if installation.why_no_cpu else None
    chooser = cpu.kernels.chooser
    return {"model": chooser.name, "model_from": cpu.model_from, "digest": chooser.digest}


def explain() -> list[dict[str, Any]]:
    """Of each op that was looked at: what was kept and why."""
    return [] if _installed is None else [asdict(one) for one in _installed.selection.explanations()]


def _check_torch() -> Any:
    """torch._inductor.choices, whose hook is the one we know."""
    try:
        import torch
    except ImportError as missing:
        raise ImportError("triode.install() needs torch; the rest of triode works without") from missing
    from torch._inductor import choices

    check_hook(choices)
    return choices


def _check_ranker(ranker: TemplateRanker) -> None:
    """Ranks a problem everybody knows: a model that cannot is refused before Inductor relies on it."""
    ranking = ranker.rank(Problem.parse("mm f16 1024x1024x1024 nn"), _a100(), [*CONFIGS], 3, 3)
    if not ranking.picks:
        raise ValueError(
            f"the model {ranker.name} ranks nothing for a plain f16 matmul on an A100; it is no model for templates"
        )


def _try_choosing(choices: Any, ranker: TemplateRanker) -> None:
    """Chooses once, apart from all that is counted."""
    selection = Selection(ranker, Options(top_k=2, threshold=1.0), lambda device: _a100())
    try_choosing(choices, functools.partial(_choose, selection, None))


def _a100() -> Gpu:
    return Gpu(
        name="a100",
        capability=(8, 0),
        multiprocessors=108,
        smem_per_multiprocessor_bytes=167936,
        smem_per_block_bytes=166912,
        l2_bytes=41943040,
    )


def _gpu_of_device(device: Any) -> Gpu:
    import torch

    if device.type != "cuda":
        raise NotImplementedError(f"no templates are ranked for device type {device.type}")
    if torch.version.hip is not None:
        # There device type cuda is AMD's, whose compute capability would pass for one of NVIDIA's.
        raise NotImplementedError("no templates are ranked for AMD gpus")
    return gpu_of(torch.cuda.get_device_properties(device))


def _choose(
    selection: Selection, cpu: CpuChoices | None, all_choices: list[Any], inputs: Any, op_name: str
) -> list[Any]:
    if inputs.device().type != "cpu":
        return selection.select(all_choices, inputs, op_name)
    from torch._inductor import config
    from torch._inductor.virtualized import V

    # A second choice is timed whatever the mode, and a wrapper in C++ cannot call ours.
    is_timed = config.max_autotune or config.max_autotune_gemm
    if cpu is None or not is_timed or V.graph.cpp_wrapper:
        return all_choices
    selection.count("total_calls")
    vendor = next((one for one in all_choices if is_vendor(one)), None)
    if vendor is None:  # a part of an op's choices
        return selection.fall_back("nothing_to_rank", all_choices)
    try:
        ours, kernel = cpu.choice(vendor, inputs, op_name)
    except WrongKernel as wrong:
        selection.count("cpu_kernels_wrong")
        warnings.warn(f"triode leaves out a kernel of its own: {wrong}", stacklevel=2)
        return all_choices
    except (Untold, NotImplementedError) as unsupported:
        return selection.fall_back("unsupported", all_choices, op_name, str(unsupported))
    selection.count("cpu_choices")
    problem, joined = str(kernel.problem), [*all_choices, ours]
    told = Explanation(op_name, problem, "cpu", "joined", len(joined), 0, 0.0, kept=[{"config": kernel.config}])
    selection.explain(f"{problem} on cpu", told)
    return joined


def _add_feedback(selection: Selection, cpu: CpuChoices | None, cache: str) -> Feedback:
    from torch._inductor import select_algorithm

    toolchain = _toolchain()
    benchmarks = Benchmarks(select_algorithm.get_algorithm_selector_cache())
    feedback = Feedback(selection, cpu, benchmarks, toolchain, cache)
    select_algorithm.add_feedback_saver(feedback)
    return feedback


def _toolchain() -> str:
    """What makes Inductor's kernels; without Triton it has none to rank."""
    import torch

    try:
        import triton
    except ImportError:
        return f"torch {torch.__version__}"
    return f"torch {torch.__version__} triton {triton.__version__}"


def _remove_feedback(feedback: Feedback) -> None:
    from torch._inductor import select_algorithm

    savers = select_algorithm.get_algorithm_selector_cache().feedback_saver_fns
    if feedback in savers:
        savers.remove(feedback)
    feedback.benchmarks.forget()
