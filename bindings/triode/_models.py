# SPDX-License-Identifier: Apache-2.0
"""Where models lie: a snapshot file of the caller's, or one that ships with the package."""

from pathlib import Path

SHIPPED = Path(__file__).parent / "models"


def shipped_models() -> list[str]:
    """Names of the models inside the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.snapshot"))


def find_model(name_or_path: str) -> Path:
    """The file of a model; FileNotFoundError names what there is."""
    path = Path(name_or_path)
    if path.is_file():
        return path
    shipped = SHIPPED / f"{name_or_path}.snapshot"
    if path.name == str(name_or_path) and shipped.is_file():
        return shipped
    raise FileNotFoundError(
        f"no model '{name_or_path}': it is neither a file nor one of the shipped models "
        f"({', '.join(shipped_models()) or 'none'})"
    )
