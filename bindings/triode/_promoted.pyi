# SPDX-License-Identifier: Apache-2.0
# Written by hand beside bindings/promoted_module.cc.

def promoted_snapshot(family: str, cache: str = "") -> bytes | None: ...
