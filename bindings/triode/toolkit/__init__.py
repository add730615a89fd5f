# SPDX-License-Identifier: Apache-2.0
"""diode's toolkit as commands: `triode collect-shapeset`, `triode validate-model`, ...; see docs/cli/toolkit.md."""
