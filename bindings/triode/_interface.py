# SPDX-License-Identifier: Apache-2.0
"""Whether Inductor offers what choosing in it takes, tried before anything relies on it: a handler that is nobody's
chooses, in our way, for a matmul that nobody asked for. Of a torch that is built otherwise one learns at once, not at
the first compilation."""

import inspect
from typing import Any

from ._handlers import HOOK, Chooser, hook_around
from ._selection import is_vendor
from ._template_problem import CONFIG_FIELDS, config_of, exact_problem_of

HOOK_PARAMETERS = ("self", "template_choices", "kernel_inputs", "templates", "op_name", "kwarg_overrides")
M, N, K = 1024, 512, 256
CONFIGS = ((64, 64, 32, 8, 3, 4), (128, 128, 32, 8, 3, 4), (16, 16, 16, 8, 2, 1), (32, 64, 64, 8, 4, 2))


def check_hook(choices: Any) -> None:
    """RuntimeError if `choices`, torch._inductor.choices, has no hook, or takes other things."""
    hook = getattr(choices.InductorChoices, HOOK, None)
    parameters = () if hook is None else tuple(inspect.signature(hook).parameters)
    if parameters != HOOK_PARAMETERS:
        raise RuntimeError(_refusal(f"it has no choices hook {HOOK}({', '.join(HOOK_PARAMETERS)})"))


def try_choosing(choices: Any, choose: Chooser) -> None:
    """RuntimeError if `choose` does not keep the vendor's kernel and some, not all, of the templates of a matmul, in
    Inductor's own objects."""
    try:
        offered, kept = _choose_once(choices, choose)
        wrong = _what_is_wrong(offered, kept)
    except Exception as error:
        raise RuntimeError(_refusal(f"{type(error).__name__}: {error}")) from error
    if wrong:
        raise RuntimeError(_refusal(wrong))


def _choose_once(choices: Any, choose: Chooser) -> tuple[list[Any], list[Any]]:
    """What was offered, the vendor's kernel first, and what the handler gave back."""
    from torch._inductor.graph import GraphLowering
    from torch._inductor.kernel import mm
    from torch._inductor.virtualized import V
    from torch.fx import Graph, GraphModule

    hook = hook_around(getattr(choices.InductorChoices, HOOK), lambda: choose)
    handler = type("NobodysChoices", (choices.InductorChoices,), {HOOK: hook})()
    nothing = Graph()
    nothing.output(())
    with V.set_graph_handler(GraphLowering(GraphModule({}, nothing))):
        inputs = _inputs([(M, K), (K, N)])
        vendor = _choice(mm.aten_mm, {}, inputs)
        templates = [_choice(mm.mm_template, dict(zip(CONFIG_FIELDS, config)), inputs) for config in CONFIGS]
        # As timings of an op with a bias are kept.
        exact_problem_of(_inputs([(M, N), (M, K), (K, N)]), "addmm", templates[0])
        by_template = {mm.aten_mm.uid: iter([vendor]), mm.mm_template.uid: iter(templates)}
        kept = getattr(handler, HOOK)(by_template, inputs, [mm.aten_mm, mm.mm_template], "mm")
        return [vendor, *templates], kept


def _what_is_wrong(offered: list[Any], kept: list[Any]) -> str:
    vendor, *templates = offered
    if any(config_of(choice) not in CONFIGS for choice in templates):
        return f"configs of its template {templates[0].template.uid} cannot be told"
    if not is_vendor(vendor):
        return f"its library's kernel is called {vendor.template.uid}"
    if any(choice.annotations["ktc"] is not choice for choice in offered):
        return "a choice does not say which template made it"
    if not any(choice is vendor for choice in kept):
        return "the vendor's kernel did not stay"
    if not 1 < len(kept) < len(offered) or any(all(one is not other for other in offered) for one in kept):
        return f"{len(kept) - 1} of {len(templates)} templates were kept"
    return ""


def _inputs(sizes: list[tuple[int, int]]) -> Any:
    """Of as many matrices, by rows; of three the first is one row, repeated."""
    import torch
    from torch._inductor import ir
    from torch._inductor.kernel_inputs import MMKernelInputs

    is_sum = len(sizes) == 3
    strides = [[0 if is_sum and place == 0 else columns, 1] for place, (_, columns) in enumerate(sizes)]
    nodes = [
        ir.InputBuffer(
            name=f"operand{place}", layout=ir.FixedLayout(torch.device("cuda", 0), torch.float16, [*size], stride)
        )
        for place, (size, stride) in enumerate(zip(sizes, strides))
    ]
    return MMKernelInputs(nodes, scalars={"alpha": 1, "beta": 1} if is_sum else None)


def _choice(template: Any, fields: dict[str, Any], inputs: Any) -> Any:
    from torch._inductor.heuristics.template.params import DictKernelTemplateParams
    from torch._inductor.kernel_template_choice import KernelTemplateChoice

    return KernelTemplateChoice(template, DictKernelTemplateParams(fields), {}, inputs.output_layout(), inputs)


def _refusal(reason: str) -> str:
    import torch

    return (
        f"the Inductor of torch {torch.__version__} is not as Triode knows it from torch 2.15: {reason}; nothing was "
        "installed"
    )
