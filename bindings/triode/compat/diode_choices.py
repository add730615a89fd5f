# SPDX-License-Identifier: Apache-2.0
"""diode's choices handler, whose work triode.install() does."""

from typing import Any

from .. import inductor, stats
from .._models import find_model
from .._selection import Options
from .._triode import TemplateRanker

MODEL = "gpu"


class DiodeInductorChoices:
    """diode's options, checked, and the model read: nothing is installed before install().

    performance_threshold keeps every config predicted within that factor of the best, at most top_k_configs; ATen
    and templates that the model does not know stay. device is taken for diode's sake: ranking is plain C++.
    """

    def __init__(
        self,
        model_path: str | None = None,
        device: str = "cpu",
        top_k_configs: int = 3,
        enable_fallback: bool = True,
        performance_threshold: float = 1.1,
    ) -> None:
        Options(top_k_configs, performance_threshold, enable_fallback)
        # diode goes on without a model that it does not find; here that is an error.
        TemplateRanker(str(find_model(model_path or MODEL)))
        self.model_path = model_path
        self.device = device
        self.top_k_configs = top_k_configs
        self.enable_fallback = enable_fallback
        self.performance_threshold = performance_threshold
        self._installation: Any = None

    def install(self) -> "DiodeInductorChoices":
        """Lets the model choose, in place of an earlier one. Nothing else of torch's configuration is changed."""
        self._installation = inductor.install(
            model=self.model_path,
            top_k=self.top_k_configs,
            threshold=self.performance_threshold,
            fallback=self.enable_fallback,
        )
        return self

    def uninstall(self) -> None:
        """Puts Inductor's own choices back, if this one is in force."""
        if self._installation is not None:
            self._installation.__exit__(None, None, None)
            self._installation = None

    def get_stats(self) -> dict[str, int]:
        return stats.get_stats()

    def reset_stats(self) -> None:
        stats.reset_stats()


def create_diode_choices(model_path: str | None = None, device: str = "cpu", **options: Any) -> DiodeInductorChoices:
    """Reads and checks; nothing is installed."""
    return DiodeInductorChoices(model_path, device, **options)


def install_diode_choices(model_path: str | None = None, device: str = "cpu", **options: Any) -> DiodeInductorChoices:
    """Reads, checks and installs. Raises, with nothing changed, if one of these fails."""
    return create_diode_choices(model_path, device, **options).install()
