# SPDX-License-Identifier: Apache-2.0
"""Lets Inductor lower and generate code for a gpu that is not there. What it leans on of torch's own names is
pinned with torch; nothing here runs a kernel, and no time in here was measured."""

import contextlib
import types
from unittest import mock

import torch

# What torch.cuda.get_device_properties says of them.
PROPERTIES = {
    "A100": dict(
        name="NVIDIA A100-SXM4-40GB",
        major=8,
        minor=0,
        multi_processor_count=108,
        shared_memory_per_block_optin=166912,
        shared_memory_per_multiprocessor=167936,
        L2_cache_size=41943040,
        total_memory=42405855232,
    ),
    "H100": dict(
        name="NVIDIA H100 80GB HBM3",
        major=9,
        minor=0,
        multi_processor_count=132,
        shared_memory_per_block_optin=232448,
        shared_memory_per_multiprocessor=233472,
        L2_cache_size=52428800,
        total_memory=85029158912,
    ),
    "B200": dict(
        name="NVIDIA B200",
        major=10,
        minor=0,
        multi_processor_count=148,
        shared_memory_per_block_optin=232448,
        shared_memory_per_multiprocessor=233472,
        L2_cache_size=132644864,
        total_memory=191514607616,
    ),
}
OF_ALL = dict(
    shared_memory_per_block=49152,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    gcnArchName="",
    is_integrated=0,
    is_multi_gpu_board=0,
    clock_rate=1410000,
    memory_clock_rate=1215000,
    memory_bus_width=5120,
)


class Driver:
    """As much of Triton's driver as code generation asks for."""

    def __init__(self, capability: int) -> None:
        self.capability = capability

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self):
        return 0

    def get_device_interface(self):
        return torch.cuda

    def get_active_torch_device(self):
        return torch.device("cuda", 0)


def forget_cached_answers() -> None:
    import torch._inductor.codegen.cuda.cuda_env as cuda_env
    import torch._inductor.runtime.hints as hints
    import torch._inductor.utils as inductor_utils
    import torch.utils._triton as triton_utils

    caching = [cuda_env.get_cuda_arch, cuda_env.is_datacenter_blackwell_arch, hints.DeviceProperties.create]
    caching += [getattr(inductor_utils, name) for name in ("is_big_gpu", "get_max_num_sms", "using_b200")]
    caching += [getattr(triton_utils, name) for name in dir(triton_utils)]
    for function in caching:
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def patches(properties: types.SimpleNamespace):
    """(object, name, value) of what torch must believe."""
    capability = (properties.major, properties.minor)

    def nothing(*_, **__):
        return None

    def zero(*_, **__):
        return 0

    return [
        (torch.cuda, "is_available", lambda: True),
        (torch.cuda, "device_count", lambda: 1),
        (torch.cuda, "current_device", zero),
        (torch.cuda, "get_device_properties", lambda device=None: properties),
        (torch.cuda, "get_device_capability", lambda device=None: capability),
        (torch.cuda, "get_device_name", lambda device=None: properties.name),
        (torch.cuda, "synchronize", nothing),
        (torch.cuda, "get_rng_state", lambda device="cuda": torch.zeros(16, dtype=torch.uint8)),
        (torch.cuda, "set_rng_state", nothing),
        (torch.cuda, "is_current_stream_capturing", lambda: False),
        (torch.cuda, "_exchange_device", zero),
        (torch.cuda, "_maybe_exchange_device", zero),
    ], {
        "current_device": zero,
        "device_count": lambda: 1,
        "synchronize": nothing,
        "get_device_properties": lambda device=None: properties,
        "set_device": nothing,
        "exchange_device": zero,
        "maybe_exchange_device": zero,
        "get_raw_stream": zero,
    }


@contextlib.contextmanager
def pretended_gpu(name: str):
    import triton
    from torch._dynamo import device_interface

    properties = types.SimpleNamespace(**OF_ALL, **PROPERTIES[name])
    of_torch, of_interface = patches(properties)
    with contextlib.ExitStack() as stack:
        for owner, attribute, value in of_torch:
            stack.enter_context(mock.patch.object(owner, attribute, value))
        for attribute, value in of_interface.items():
            stack.enter_context(
                mock.patch.object(device_interface.CudaInterface, attribute, staticmethod(value))
            )
        stack.enter_context(
            mock.patch.dict(device_interface.caching_worker_device_properties, {"cuda": [properties]})
        )
        stack.enter_context(mock.patch.dict(device_interface.caching_worker_current_devices, {"cuda": 0}))
        before = getattr(triton.runtime.driver, "_active", None)
        triton.runtime.driver.set_active(Driver(properties.major * 10 + properties.minor))
        forget_cached_answers()
        try:
            yield properties
        finally:
            triton.runtime.driver._active = before
            forget_cached_answers()
