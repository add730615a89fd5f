# SPDX-License-Identifier: Apache-2.0
"""Triode in Python: a learned model inside torch.compile, and matmuls with a kernel of your choice.

`triode.install()` lets the model choose among Inductor's kernels: see triode.inductor. `triode.intercept()`
answers PyTorch's own matmuls: see triode.interception. Importing triode changes nothing and does not import
torch; `import triode.auto` installs at once. triode.types reads and writes torch-diode's files, and
triode.compat.diode has its names.

    import numpy, triode

    problem = triode.Problem.parse("mm f32 64x48x32 nt align=4")  # c = a b', b stored 48 x 32
    device = triode.CpuDevice()
    space = device.space(problem)
    matmul = device.build(problem, space.promising()[0])

    a, b, c = (numpy.ones(shape, numpy.float32) for shape in ((64, 32), (48, 32), (64, 48)))
    matmul.run(a, b, c)

Arrays are passed as they are stored, and must lie in memory just as the problem says: the type, the
leading dimensions, and the alignment, which is 64 bytes unless the text says less (numpy promises no
more than that of an element). c must not overlap a or b.

Errors: ValueError for a wrong text, config or array, NotImplementedError for a problem that the device
cannot run, MemoryError, and RuntimeError for everything else.
"""

from ._triode import Artifact, Config, CpuDevice, Problem, Space, Target, __version__
from .collection import MatmulCollector
from .inductor import explain, install, status, uninstall
from .interception import intercept, release
from .registry import get_integration_status, get_model_registry
from .stats import get_stats, reset_stats

__all__ = [
    "Artifact",
    "Config",
    "CpuDevice",
    "MatmulCollector",
    "Problem",
    "Space",
    "Target",
    "__version__",
    "explain",
    "get_integration_status",
    "get_model_registry",
    "get_stats",
    "install",
    "intercept",
    "release",
    "reset_stats",
    "status",
    "uninstall",
]
