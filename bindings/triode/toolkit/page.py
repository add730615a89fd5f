# SPDX-License-Identifier: Apache-2.0
"""The report of a training or a validation: one HTML file with the pictures inside, to be opened anywhere."""

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .reports import text_of

NAME = "report.html"
STYLE = "body{font:15px sans-serif;max-width:70em;margin:2em auto}img{max-width:100%}pre{overflow:auto}"


def write_page(path: Path, title: str, told: Mapping[str, Any], pictures: Sequence[Path]) -> None:
    """`told` as the command prints it, below the pictures that are there."""
    shown = "\n".join(_picture(one) for one in pictures if one.is_file())
    path.write_text(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n{shown}\n"
        f"<pre>{html.escape(text_of(told))}</pre></body></html>\n"
    )


def _picture(path: Path) -> str:
    name = path.stem.replace("_", " ")
    encoded = base64.b64encode(path.read_bytes()).decode()
    return f'<h2>{name}</h2><img alt="{name}" src="data:image/png;base64,{encoded}">'
