# SPDX-License-Identifier: Apache-2.0
"""The counters of what triode.install() did, since they were last reset."""

from typing import Any

from .inductor import status

# Always told, also when they are zero.
KNOWN = ("total_calls", "model_selections", "configs_filtered", "fallback_error", "fallback_unsupported")

_before: dict[str, int] = {}
_of: int | None = None  # the installation that they are of


def get_stats() -> dict[str, int]:
    """By name. All zero if nothing is installed."""
    now = status()
    counters = now.get("counters", {})
    before = _before if now.get("installation") == _of else {}
    told = dict.fromkeys(KNOWN, 0) | {name: count - before.get(name, 0) for name, count in counters.items()}
    return {name: max(0, count) for name, count in told.items()}


def reset_stats() -> None:
    """Counts from zero again."""
    global _before, _of
    now = status()
    _before, _of = dict(now.get("counters", {})), now.get("installation")
