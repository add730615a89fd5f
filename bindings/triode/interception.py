# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own matmuls through Triode, without a change to the program.

    import torch, triode

    triode.intercept()               # until triode.release()
    model(x)                         # torch's kernels, until Triode has found faster ones

    with triode.intercept() as interception:
        ...
        print(interception.counters())

mm, addmm, bmm, baddbmm and _addmm_activation of float32 and float64 tensors on the CPU, and so nn.Linear,
matmul and einsum, are answered by the kernels that Triode has measured to be faster than torch's; all else is
torch's own as before. Triode starts at the first matmul, as the TRIODE_* variables say (`triode run --help`).
"""

import ctypes
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "lib"
_current: "Interception | None" = None


class _Statistics(ctypes.Structure):
    """triode_statistics of triode.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("mode", ctypes.c_int32),
        ("planned", ctypes.c_int32),
        ("shapes", ctypes.c_uint64),
        ("calls", ctypes.c_uint64),
        ("triode_calls", ctypes.c_uint64),
        ("empty_calls", ctypes.c_uint64),
        ("unlisted_calls", ctypes.c_uint64),
        ("total_ns", ctypes.c_double),
        ("saved_ns", ctypes.c_double),
    ]


class Interception:
    """What intercept() did; a context manager that undoes it."""

    def __init__(self, torch_library: ctypes.CDLL, triode_library: ctypes.CDLL) -> None:
        self._torch_library = torch_library
        self._triode_library = triode_library

    def __enter__(self) -> "Interception":
        return self

    def __exit__(self, *_: Any) -> None:
        if _current is self:
            release()

    def counters(self) -> dict[str, int | float]:
        """Matmuls of this process so far: `calls` that were offered to Triode, of these `triode_calls` that it
        answered, in so many `shapes`, of which `planned` have a faster kernel; `passed` were torch's own at
        once; `total_ns` is the time of the offered ones, `saved_ns` what torch would have taken longer."""
        statistics = _Statistics(size=ctypes.sizeof(_Statistics))
        self._triode_library.triode_stats(ctypes.byref(statistics))
        names = ("calls", "triode_calls", "shapes", "planned", "total_ns", "saved_ns")
        counters = {name: getattr(statistics, name) for name in names}
        return {**counters, "passed": int(self._torch_library.triode_torch_passed())}


def intercept() -> Interception:
    """Puts Triode in front of torch's matmuls in this process. Again: the same interception.

    Call it while no other thread is inside torch. Raises ImportError without torch, or where this build of
    Triode has no part for the torch that is there, and RuntimeError if torch refuses. Then nothing has changed.
    """
    global _current
    if _current is None:
        torch_library, triode_library = _load()
        _check(torch_library, torch_library.triode_torch_intercept())
        _current = Interception(torch_library, triode_library)
    return _current


def release() -> None:
    """Puts torch's own kernels back. Nothing happens if nothing is intercepted. As with intercept(), no other
    thread may be inside torch."""
    global _current
    if _current is not None:
        library = _current._torch_library
        _check(library, library.triode_torch_release())
        _current = None


def _load() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    try:
        import torch
    except ImportError as missing:
        raise ImportError("triode.intercept() needs torch; the rest of triode works without") from missing
    library = _FOLDER / "libtriode_torch.so"
    built_for = _FOLDER / "libtriode_torch.version"
    if not library.is_file() or not built_for.is_file():
        raise ImportError(
            "this build of triode has no part for torch, because torch was not there when it was built; "
            "build it where torch is: `pip install .` in Triode's sources"
        )
    wanted = built_for.read_text().strip()
    # The interface in C++ that it uses is another one in each version.
    if torch.__version__.split("+")[0] != wanted:
        raise ImportError(
            f"this build of triode is for torch {wanted}, and torch {torch.__version__} is installed; "
            "build triode again, or install that torch"
        )
    torch_library = ctypes.CDLL(str(library))
    torch_library.triode_torch_passed.restype = ctypes.c_uint64
    torch_library.triode_torch_last_error.restype = ctypes.c_char_p
    return torch_library, ctypes.CDLL(str(_FOLDER / "libtriode.so"))


def _check(library: ctypes.CDLL, status: int) -> None:
    if status != 0:
        raise RuntimeError(library.triode_torch_last_error().decode())
