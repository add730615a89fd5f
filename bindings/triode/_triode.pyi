# SPDX-License-Identifier: Apache-2.0
# Written by hand beside bindings/triode_module.cc; tests/bindings compares the names.
from collections.abc import Buffer

__version__: str

class Problem:
    op: str
    batch: int
    m: int
    n: int
    k: int
    a_type: str
    b_type: str
    c_type: str
    accumulator: str
    a_transposed: bool
    b_transposed: bool
    lda: int
    ldb: int
    ldc: int
    a_batch_stride: int
    b_batch_stride: int
    c_batch_stride: int
    alignment_bytes: int
    epilogue: str
    alpha: str
    beta: str
    threads: int
    @staticmethod
    def parse(text: str) -> Problem: ...

class Config: ...

class Space:
    problem: Problem
    parameters: dict[str, list[str]]
    product_size: int
    def enumerate(self, limit: int) -> list[Config]: ...
    def sample(self, seed: int) -> Config | None: ...
    def promising(self) -> list[Config]: ...
    def parse(self, text: str) -> Config: ...
    def to_string(self, config: Config) -> str: ...

class Target:
    device: str
    isa: str
    toolchain: str
    cores: int

class Artifact:
    problem: Problem
    digest: int
    code_bytes: int
    def run(self, a: Buffer, b: Buffer, c: Buffer, alpha: float = 1.0, beta: float = 0.0) -> None: ...
    def run_at(self, a: int, b: int, c: int, alpha: float = 1.0, beta: float = 0.0) -> None: ...

class CpuDevice:
    target: Target
    def __init__(self) -> None: ...
    def space(self, problem: Problem) -> Space: ...
    def build(self, problem: Problem, config: Config) -> Artifact: ...

class CpuChooser:
    name: str
    digest: str
    def __init__(self, path: str) -> None: ...
    @staticmethod
    def from_bytes(snapshot: bytes) -> CpuChooser: ...
    def choose(self, device: CpuDevice, problem: Problem) -> Config: ...
    def learned(self, device: CpuDevice, problem: Problem, timed: list[tuple[Config, float]]) -> bytes: ...

class Gpu:
    name: str
    family: str
    def __init__(
        self,
        *,
        name: str,
        capability: tuple[int, int],
        multiprocessors: int,
        smem_per_multiprocessor_bytes: int,
        smem_per_block_bytes: int,
        l2_bytes: int,
        clock_khz: int = 0,
        memory_clock_khz: int = 0,
        memory_bus_bits: int = 0,
    ) -> None: ...

class TemplatePick:
    index: int
    relative_time: float
    stddev: float
    mechanism: int

class TemplateRanking:
    picks: list[TemplatePick]
    unfit: int
    best_s: float | None
    vendor_s: float | None
    support: str
    support_reason: str

class TemplateRanker:
    name: str
    digest: str
    card: str
    def __init__(self, path: str) -> None: ...
    @staticmethod
    def from_bytes(snapshot: bytes) -> TemplateRanker: ...
    def rank(
        self,
        problem: Problem,
        gpu: Gpu,
        configs: list[tuple[int, int, int, int, int, int]],
        count: int,
        doubtful_count: int,
    ) -> TemplateRanking: ...
    def learned(
        self,
        problem: Problem,
        gpu: Gpu,
        timed: list[tuple[tuple[int, int, int, int, int, int], float]],
    ) -> bytes: ...

def leave_timings(
    *,
    gpu: str,
    toolchain: str,
    problem: Problem,
    rows: list[tuple[tuple[int, int, int, int, int, int], float | None]],
    vendor_ms: float | None,
    when_unix_s: int,
    cache: str = "",
) -> None: ...
def leave_cpu_timing(
    *,
    target: Target,
    problem: Problem,
    config: str,
    ms: float,
    vendor_ms: float | None,
    when_unix_s: int,
    cache: str = "",
) -> None: ...
