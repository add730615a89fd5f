# SPDX-License-Identifier: Apache-2.0
"""What a mode found, for people: plain lines, and a table for what is judged at several N."""

from collections.abc import Mapping
from typing import Any

# Too long to be read as lines; the JSON has them.
LEFT_OUT = ("shape_details", "per_op", "overall")


def text_of(told: Mapping[str, Any]) -> str:
    return "\n".join(_lines(told, ""))


def _lines(told: Mapping[str, Any], indent: str) -> list[str]:
    lines = []
    for name, value in told.items():
        if name in LEFT_OUT:
            continue
        if name == "regret" and isinstance(value, Mapping):
            lines.append(f"{indent}regret of the model's first N, against the best of all:")
            lines += _regret(value, indent + "  ")
        elif isinstance(value, Mapping):
            lines += [f"{indent}{name}:", *_lines(value, indent + "  ")]
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            lines.append(f"{indent}{name}:")
            lines += [f"{indent}  {_row(row)}" for row in value]
        else:
            lines.append(f"{indent}{name}: {_word(value)}")
    return lines


def _row(row: Mapping[str, Any]) -> str:
    """Figures first, by name: what they are of may be long."""
    figures = [f"{name} {_word(value)}" for name, value in row.items() if isinstance(value, int | float)]
    texts = [_word(value) for value in row.values() if not isinstance(value, int | float)]
    return ", ".join([*figures, *texts])


def _regret(table: Mapping[Any, Mapping[str, Any]], indent: str) -> list[str]:
    columns = ("geomean", "p50", "p90", "p99", "worst")
    lines = [f"{indent}{'N':>5} {'shapes':>7}" + "".join(f" {name:>8}" for name in columns)]
    for count, row in table.items():
        cells = "".join(f" {row[name]:8.4f}" if row.get(name) is not None else f" {'-':>8}" for name in columns)
        lines.append(f"{indent}{count:>5} {row['n']:>7}{cells}")
    return lines


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
