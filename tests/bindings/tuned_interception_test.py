# SPDX-License-Identifier: Apache-2.0
"""triode.intercept() with a real tuner: a program gets faster plans while it runs, and others begin with them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = """
import json, sys, time, torch, triode

torch.set_num_threads(1)
torch.manual_seed(5)
# Of several kinds, so that one has a faster kernel whatever the machine.
sizes = ((64, 300, 500), (7, 64, 320), (100, 100, 100), (8, 512, 96))
pairs = [(torch.randn(m, k), torch.randn(k, n)) for m, n, k in sizes]
wanted = [(a.double() @ b.double()).float() for a, b in pairs]
deadline = time.monotonic() + float(sys.argv[1])
with torch.inference_mode(), triode.intercept() as interception:
    while interception.counters()["triode_calls"] < 1000 and time.monotonic() < deadline:
        for a, b in pairs:
            for _ in range(50):
                torch.mm(a, b)
    for (a, b), product in zip(pairs, wanted):
        torch.testing.assert_close(torch.mm(a, b), product, rtol=1e-4, atol=1e-4)
    print(json.dumps(interception.counters()))
"""


class Tuned(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("TRIODE_")}
        self.environment |= {"XDG_CACHE_HOME": folder.name, "XDG_RUNTIME_DIR": folder.name}
        self.addCleanup(self.tuner, "stop", "--quiet")

    def tuner(self, *words):
        command = [os.environ["TRIODE_COMMAND"], "tuner", *words]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def run_program(self, seconds, **variables):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(seconds)],
            env=self.environment | variables,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_program_gets_plans_that_save_time_and_the_next_begins_with_them(self):
        told = self.run_program(240)
        self.assertGreater(told["planned"], 0)
        self.assertGreaterEqual(told["triode_calls"], 1000)
        self.assertGreater(told["saved_ns"], 0)
        self.assertGreater(json.loads(self.tuner("status", "--json"))["trials"], 0)
        # Nothing is tuned here, so that what answers is what the tuner had found.
        (plans,) = self.folder.rglob("host.plans")
        frozen = self.run_program(0, TRIODE_MODE="frozen", TRIODE_PLANS=str(plans))
        self.assertGreater(frozen["triode_calls"], 0)


if __name__ == "__main__":
    unittest.main()
