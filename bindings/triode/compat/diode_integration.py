# SPDX-License-Identifier: Apache-2.0
"""diode's functions that put its models in force; triode.registry does the work."""

from ..registry import (
    MatmulIntegration,
    get_integration_registry,
    get_integration_status,
    integrate_all,
    register_integration,
)

get_diode_status = get_integration_status


def create_matmul_integration(enable_fallback: bool = True) -> MatmulIntegration:
    """Nothing is installed before integrate()."""
    return MatmulIntegration(fallback=enable_fallback)


def discover_and_register_integrations() -> dict[str, bool]:
    """The names that are registered. The one for matmuls is from the start, and comes back if it was taken out."""
    registry = get_integration_registry()
    if "matmul" not in registry.integrations:
        register_integration(create_matmul_integration(), execute_order=1)
    return dict.fromkeys(registry.integrations, True)


def install_diode_integrations(enable_fallback: bool = True) -> dict[str, bool]:
    """Whether each is in force now; get_diode_status() says why not."""
    register_integration(create_matmul_integration(enable_fallback), execute_order=1)
    return integrate_all()
