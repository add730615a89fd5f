# SPDX-License-Identifier: Apache-2.0
"""Configs of Inductor's matmul template that Inductor itself does not list: other tiles, stages and orders of
tiles (GROUP_M). The model ranks them with the rest."""

import itertools
from functools import cache
from typing import Any

from ._template_problem import CONFIG_FIELDS, RANKED_TEMPLATES

OPS = frozenset({"mm", "addmm", "bmm", "baddbmm"})

BLOCKS = (16, 32, 64, 128, 256)
DEPTHS = (16, 32, 64, 128)
GROUPS = (1, 4, 8, 16)
STAGES = (2, 3, 4, 5)
WARPS = (2, 4, 8)
# Elements of a tile that a thread adds up. With fewer most of it waits, with more it runs out of registers.
LEAST_PER_THREAD, MOST_PER_THREAD = 8, 128
# Beyond, a tile's operands fill the shared memory of every gpu that the model knows.
MOST_OPERANDS = 3 * (128 + 256) * 64


@cache
def all_configs() -> tuple[tuple[int, ...], ...]:
    """In the order of CONFIG_FIELDS."""
    return tuple(
        (m, n, k, group, stages, warps)
        for m, n, k, group, stages, warps in itertools.product(BLOCKS, BLOCKS, DEPTHS, GROUPS, STAGES, WARPS)
        if LEAST_PER_THREAD <= m * n // (32 * warps) <= MOST_PER_THREAD and stages * (m + n) * k <= MOST_OPERANDS
    )


def beyond(listed: list[tuple[int, ...]], op_name: str) -> list[tuple[int, ...]]:
    """Those that are not listed."""
    if op_name not in OPS:
        return []
    known = set(listed)
    return [config for config in all_configs() if config not in known]


def make_choice(base: Any, config: tuple[int, ...], inputs: Any) -> Any:
    """A choice as `base`, with that config. What the problem decides follows the problem: EVEN_K drops the test
    for the end of a row, so that it is said only where tiles end there; ALLOW_TF32 and the rest are the base's."""
    assert base.template.uid in RANKED_TEMPLATES
    fields = {**base.params.to_kwargs(), **dict(zip(CONFIG_FIELDS, config))}
    if "EVEN_K" in fields:
        k = inputs.mnk_symbolic()[2]
        is_fixed = isinstance(k, int) or getattr(k, "is_number", False)
        fields["EVEN_K"] = bool(is_fixed and int(k) % fields["BLOCK_K"] == 0)
    return type(base)(
        template=base.template,
        params=type(base.params)(fields),
        extra_kwargs=base.extra_kwargs,
        layout=base.layout,
        inputs=base.inputs,
    )
