# SPDX-License-Identifier: Apache-2.0
"""`import triode.auto` is triode.install() with its defaults, for programs that only get an import."""

from .inductor import install

install()
