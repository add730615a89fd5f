# SPDX-License-Identifier: Apache-2.0
"""The models of a program: where each lies, what it is for, and a manifest of those that are there."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._models import SHIPPED, shipped_models

MATMUL = "matmul_kernel_runtime_prediction"
CHOICES = "torch._inductor.choices"
MANIFEST_VERSION = "1.0"
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class ModelPointer:
    """Where a model lies and what it is for. `relative_path` is a folder, below that of the shipped models unless
    it is absolute."""

    model_name: str
    relative_path: str
    model_purpose: str
    interface_name: str
    description: str = ""
    version: str = "1.0"
    dependencies: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("model_name", "relative_path", "model_purpose", "interface_name", "version"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise ValueError(f"a model's {name} must be a text, not {value!r}")

    @property
    def full_path(self) -> Path:
        return SHIPPED / self.relative_path / self.model_name

    def exists(self) -> bool:
        return self.full_path.is_file()

    def get_size_mb(self) -> float:
        """In MiB; 0 if the file is not there."""
        return self.full_path.stat().st_size / MEBIBYTE if self.exists() else 0.0

    def checksum(self) -> str:
        """sha256 of the file. FileNotFoundError if it is not there."""
        return hashlib.sha256(self.full_path.read_bytes()).hexdigest()


class ModelRegistry:
    """Models by purpose and name; begins with those that ship with Triode."""

    def __init__(self) -> None:
        self._models: dict[tuple[str, str], ModelPointer] = {}
        for name in shipped_models():
            self.register_model(
                ModelPointer(
                    model_name=f"{name}.snapshot",
                    relative_path=".",
                    model_purpose=MATMUL,
                    interface_name=CHOICES,
                    description=f"ranks kernel configs of matmuls ({name})",
                    dependencies=["torch._inductor.choices"],
                )
            )

    def register_model(self, model_pointer: ModelPointer) -> None:
        """In place of one of the same purpose and name."""
        self._models[model_pointer.model_purpose, model_pointer.model_name] = model_pointer

    def get_model(self, model_purpose: str, model_name: str) -> ModelPointer | None:
        return self._models.get((model_purpose, model_name))

    def get_models_by_purpose(self, model_purpose: str) -> list[ModelPointer]:
        return [model for model in self._models.values() if model.model_purpose == model_purpose]

    def get_models_by_interface(self, interface_name: str) -> list[ModelPointer]:
        return [model for model in self._models.values() if model.interface_name == interface_name]

    def get_all_models(self) -> list[ModelPointer]:
        return list(self._models.values())

    def get_existing_models(self) -> list[ModelPointer]:
        """Those whose file is there."""
        return [model for model in self._models.values() if model.exists()]

    def get_model_paths_for_build(self) -> list[Path]:
        return [model.full_path for model in self.get_existing_models()]

    def generate_manifest(self) -> dict[str, Any]:
        """What is there, by purpose and by interface, each with size, version and checksum."""
        there = self.get_existing_models()
        by_purpose: dict[str, list[dict[str, Any]]] = {}
        by_interface: dict[str, list[dict[str, Any]]] = {}
        for model in there:
            by_purpose.setdefault(model.model_purpose, []).append(
                {
                    "name": model.model_name,
                    "relative_path": model.relative_path,
                    "size_mb": model.get_size_mb(),
                    "version": model.version,
                    "sha256": model.checksum(),
                    "description": model.description,
                }
            )
            by_interface.setdefault(model.interface_name, []).append(
                {"name": model.model_name, "purpose": model.model_purpose}
            )
        return {
            "version": MANIFEST_VERSION,
            "total_models": len(there),
            "total_size_mb": sum(model.get_size_mb() for model in there),
            "models_by_purpose": by_purpose,
            "models_by_interface": by_interface,
            "all_dependencies": sorted({name for model in there for name in model.dependencies}),
        }


_registry = ModelRegistry()


def get_model_registry() -> ModelRegistry:
    """The one of this process."""
    return _registry


def register_model(model_pointer: ModelPointer) -> None:
    _registry.register_model(model_pointer)


def generate_model_manifest() -> dict[str, Any]:
    return _registry.generate_manifest()
