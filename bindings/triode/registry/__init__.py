# SPDX-License-Identifier: Apache-2.0
"""Which models there are (get_model_registry), and which of torch's interfaces use one (get_integration_registry)."""

from .integrations import (
    Integration,
    IntegrationRegistry,
    MatmulIntegration,
    get_integration_registry,
    get_integration_status,
    integrate_all,
    register_integration,
)
from .model_registry import (
    ModelPointer,
    ModelRegistry,
    generate_model_manifest,
    get_model_registry,
    register_model,
)

__all__ = [
    "Integration",
    "IntegrationRegistry",
    "MatmulIntegration",
    "ModelPointer",
    "ModelRegistry",
    "generate_model_manifest",
    "get_integration_registry",
    "get_integration_status",
    "get_model_registry",
    "integrate_all",
    "register_integration",
    "register_model",
]
