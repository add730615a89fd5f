# SPDX-License-Identifier: Apache-2.0
"""Signals are the program's: its handlers may multiply, and run on its own threads."""

import unittest

from guest_run import GuestRun

# What no thread can block: SIGKILL, SIGSTOP, and the two that the C library keeps for itself.
NEVER_BLOCKED = sum(1 << number - 1 for number in (9, 19, 32, 33))


class Signals(GuestRun):
    def test_handler_that_multiplies_inside_a_call(self):
        done = self.run_guest("signals_guest", "inside")
        self.assertEqual(done.facts, {"outer_is_right": 1, "handled": 1, "inner_is_right": 1})
        self.assert_counts(done.report, calls=1, nested=1)

    def test_handlers_that_multiply_again_and_again(self):
        for forced in ("off", "first", "random"):
            with self.subTest(forced):
                done = self.run_guest("signals_guest", "storm", forced=forced)
                facts = done.facts
                self.assertEqual((facts["outer_is_right"], facts["inner_is_right"]), (1, 1))
                self.assertGreater(facts["handled"], 10)
                made = facts["handled"] + facts["outer_calls"] + 2
                self.assertEqual(done.report["calls"] + done.report["nested"], made)

    def test_client_thread_takes_none(self):
        facts = self.run_guest("signals_guest", "masked", mode="tune").facts
        blocked = facts["other_thread_blocks"] % 2**64
        self.assertEqual(blocked | NEVER_BLOCKED, 2**64 - 1)
        self.assertEqual((facts["handled_while_blocked"], facts["handled_afterwards"]), (0, 1))


if __name__ == "__main__":
    unittest.main()
