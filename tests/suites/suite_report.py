# SPDX-License-Identifier: Apache-2.0
"""What is common to suites: how much of them is run, and what the reports of their processes say together."""

import os

from guest_run import Finished


def share_answered(done: Finished) -> float:
    """Of the calls with something to multiply, those that a kernel of Triode's answered; 0 without any."""
    calls = sum(report["calls"] for report in done.reports)
    return sum(report["answered"] for report in done.reports) / calls if calls else 0


def say_share(name: str, done: Finished):
    calls = sum(report["calls"] for report in done.reports)
    passed_on = sum(report["invalid"] for report in done.reports)
    print(f"{name}: {calls} matmuls, {100 * share_answered(done):.1f} % answered by Triode, "
          f"{passed_on} passed on unread", flush=True)


def is_long_run() -> bool:
    """Whether everything is run, as `tools/test --long` does."""
    return os.environ.get("TRIODE_TEST_LONG") == "1"
