# SPDX-License-Identifier: Apache-2.0
"""Mode frozen: the plans of an earlier run, and nothing else."""

import unittest

from guest_run import GUESTS, GuestRun

SIZE = 64


class Frozen(GuestRun):
    def setUp(self):
        super().setUp()
        done = self.run_guest("tuned_guest", SIZE, mode="tune")
        self.assertEqual(done.facts, {"is_answered": 1, "is_right": 1})
        self.plans = self.folder / "cache/host.plans"

    def run_frozen(self, guest: str, *arguments):
        return self.run_guest(guest, *arguments, mode="frozen",
                              variables={"TRIODE_PLANS": str(self.plans)})

    def test_plans_answer_from_the_first_call(self):
        done = self.run_frozen("repeating_guest", SIZE, 7)
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 0})
        self.assert_counts(done.report, calls=7, answered=7)

    def test_bits_are_the_same_on_every_run(self):
        runs = [self.run_frozen("inexact_guest", SIZE, count).facts for count in (1, 1, 100)]
        self.assertEqual(runs[0]["vendor_calls"], 0)
        self.assertEqual(runs, [runs[0]] * 3)

    def test_what_has_no_plan_is_the_vendors(self):
        done = self.run_frozen("repeating_guest", SIZE - 1, 7)
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 7})

    def test_has_no_thread(self):
        self.assertEqual(self.run_frozen("quiet_guest").facts["tasks_after"], 1)

    def test_damaged_plans_are_none(self):
        text = self.plans.read_bytes()
        self.plans.write_bytes(text[:-2] + bytes([text[-2] ^ 1]) + text[-1:])
        done = self.run_preloaded(GUESTS / "repeating_guest", SIZE, 7, TRIODE_MODE="frozen",
                                  TRIODE_PLANS=str(self.plans))
        self.assertEqual((done.code, done.facts), (0, {"is_right": 1, "vendor_calls": 7}))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(str(self.plans), done.stderr)
        self.assertIn("calls pass through", done.stderr)


if __name__ == "__main__":
    unittest.main()
