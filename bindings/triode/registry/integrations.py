# SPDX-License-Identifier: Apache-2.0
"""Where models are used in torch: each integration says whether it is in force, and if not, why."""

import importlib.util
from abc import ABC, abstractmethod
from typing import Any

from .model_registry import CHOICES, ModelPointer, get_model_registry


class Integration(ABC):
    """A model in one of torch's interfaces. Status is "not_started", "integrated" or "failed"."""

    def __init__(self, name: str, interface_name: str, dependencies: list[str] | None = None) -> None:
        self.name = name
        self.interface_name = interface_name
        self.dependencies = dependencies or []
        self.status = "not_started"
        self.reason = ""

    @abstractmethod
    def _put_in_force(self) -> None:
        """Tests the interface, then registers the model. Raises if either fails, with nothing changed."""

    def integrate(self) -> bool:
        """Whether the model is in force now; `reason` says why not."""
        try:
            self._put_in_force()
        except Exception as error:
            self.status, self.reason = "failed", f"{type(error).__name__}: {error}"
            return False
        self.status, self.reason = "integrated", ""
        return True

    def get_available_models(self) -> list[ModelPointer]:
        models = get_model_registry().get_models_by_interface(self.interface_name)
        return [model for model in models if model.exists()]

    def get_status(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "interface_name": self.interface_name,
            "integration_status": self.status,
            "reason": self.reason,
            "models_available": len(self.get_available_models()),
            "dependencies": {name: _is_there(name) for name in self.dependencies},
        }


class MatmulIntegration(Integration):
    """triode.install(), whose options these are."""

    def __init__(self, **options: Any) -> None:
        super().__init__("matmul", CHOICES, ["torch", "triton"])
        self._options = options

    def _put_in_force(self) -> None:
        from ..inductor import install

        install(**self._options)

    def get_status(self) -> dict[str, Any]:
        from ..inductor import status

        return super().get_status() | {"installed": status()}


class IntegrationRegistry:
    """Integrations by name, put in force in the order of `execute_order`, then of registration."""

    def __init__(self) -> None:
        self._integrations: dict[str, tuple[float, Integration]] = {}

    def register(self, integration: Integration, execute_order: int | None = None) -> None:
        """In place of one of the same name."""
        order = float("inf") if execute_order is None else execute_order
        self._integrations[integration.name] = (order, integration)

    @property
    def integrations(self) -> dict[str, Integration]:
        ordered = sorted(self._integrations.items(), key=lambda item: item[1][0])
        return {name: integration for name, (_, integration) in ordered}

    def integrate_all(self) -> dict[str, bool]:
        """Whether each is in force now. One that fails does not stop the others."""
        return {name: integration.integrate() for name, integration in self.integrations.items()}

    def get_status_report(self) -> dict[str, Any]:
        return {name: integration.get_status() for name, integration in self.integrations.items()}


_registry = IntegrationRegistry()
_registry.register(MatmulIntegration())


def get_integration_registry() -> IntegrationRegistry:
    """The one of this process; it has "matmul" from the start."""
    return _registry


def register_integration(integration: Integration, execute_order: int | None = None) -> None:
    _registry.register(integration, execute_order)


def integrate_all() -> dict[str, bool]:
    return _registry.integrate_all()


def get_integration_status() -> dict[str, Any]:
    return _registry.get_status_report()


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
