# SPDX-License-Identifier: Apache-2.0
"""Which model ranks: a snapshot file of the caller's, one that ships with the package, or what the cache says is
in force."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ._triode import CpuChooser, TemplateRanker

SHIPPED = Path(__file__).parent / "share" / "triode" / "snapshots"
Model = TypeVar("Model", TemplateRanker, CpuChooser)


def shipped_models() -> list[str]:
    """Names of the models inside the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.snapshot"))


def find_model(name_or_path: str) -> Path:
    """The file of a model; FileNotFoundError names what there is. A plain word is the name of a shipped model,
    whatever lies in the working directory; a file's path has a folder or a suffix in it."""
    path = Path(name_or_path)
    is_name = path.name == str(name_or_path) and not path.suffix
    file = SHIPPED / f"{name_or_path}.snapshot" if is_name else path
    if file.is_file():
        return file
    here = f"; the file here is './{name_or_path}'" if is_name and path.is_file() else ""
    raise FileNotFoundError(
        f"no model '{name_or_path}': it is neither a file nor one of the shipped models "
        f"({', '.join(shipped_models()) or 'none'}){here}"
    )


def load_ranker(model: str | None, cache: str) -> tuple[TemplateRanker, str]:
    """The model to rank gpu templates by, and where it comes from: "promoted", "shipped" or its file. None is the
    one that is promoted in the cache (`triode model promote`), else the shipped one; a promoted one that cannot be
    read is passed over with a warning. A checkpoint of torch is refused."""
    if model is None:
        promoted = _promoted("gpu", cache, TemplateRanker.from_bytes)
        if promoted is not None:
            return promoted, "promoted"
    path = find_model(model or "gpu")
    if path.suffix in (".pt", ".pth"):
        _refuse_checkpoint(path)
    return TemplateRanker(str(path)), "shipped" if path.parent == SHIPPED else str(path)


def load_chooser(cache: str) -> tuple[CpuChooser, str]:
    """The model to choose the CPU's kernels by, "promoted" or "shipped" as above."""
    promoted = _promoted("cpu", cache, CpuChooser.from_bytes)
    return (promoted, "promoted") if promoted else (CpuChooser(str(find_model("cpu-x86"))), "shipped")


def _promoted(family: str, cache: str, read: Callable[[bytes], Model]) -> Model | None:
    try:
        from ._promoted import promoted_snapshot

        snapshot = promoted_snapshot(family, cache)
        return None if snapshot is None else read(snapshot)
    except (ImportError, RuntimeError, ValueError, NotImplementedError) as error:
        warnings.warn(f"triode uses its shipped {family} model, because of the promoted one: {error}", stacklevel=4)
        return None


def _refuse_checkpoint(path: Path) -> None:
    """A checkpoint may hold code, which is never run here, and a diode net, whose inputs are not those of a
    snapshot: read back as diode read it, it chooses worse than chance."""
    raise ValueError(f"{path} is a checkpoint of torch{_contents(path)}, and no snapshot; {_ADVICE}")


_ADVICE = (
    "train one on the data that it was trained on: `triode train --data DATASET --out FILE.snapshot`, then "
    "triode.install(model='FILE.snapshot')"
)


def _contents(path: Path) -> str:
    try:
        import torch

        held: Any = torch.load(path, weights_only=True, map_location="cpu")
    except ImportError:
        return ""
    except Exception as error:  # whatever a file may do to a parser
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return f" that cannot be read as plain weights ({reason})"
    is_diode = isinstance(held, dict) and {"problem_feature_dim", "config_feature_dim"} & set(held)
    return " of diode's" if is_diode else ""
