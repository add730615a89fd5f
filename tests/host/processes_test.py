# SPDX-License-Identifier: Apache-2.0
"""Programs that start others: a forked child begins anew, and nothing hangs."""

import unittest

from guest_run import GuestRun


class Processes(GuestRun):
    def test_child_counts_from_zero(self):
        for mode in ("observe", "tune"):
            with self.subTest(mode):
                done = self.run_guest("forking_guest", "middle", mode=mode)
                self.assertEqual(done.facts, {"child_ended_well": 1, "is_right": 1})
                self.assertEqual([report["calls"] for report in done.reports], [3, 15])

    def test_child_answers_calls_with_forced_plans(self):
        done = self.run_guest("forking_guest", "middle", forced="first")
        self.assertEqual(done.facts, {"child_ended_well": 1, "is_right": 1})
        self.assertEqual([report["answered"] for report in done.reports], [3, 15])

    def test_fork_while_a_search_is_under_way(self):
        done = self.run_guest("forking_guest", "searching", mode="tune")
        self.assertEqual(done.facts, {"children_that_ended_well": 20, "is_right": 1})
        self.assertEqual(len(done.reports), 21)
        self.assertEqual({report["calls"] for report in done.reports[:20]}, {21})

    def test_child_tunes_for_itself(self):
        done = self.run_guest("forking_guest", "tuned", mode="tune")
        self.assertEqual(done.facts, {"child_ended_well": 1})
        self.assertGreaterEqual(done.reports[0]["answered"], 100)

    def test_vfork_and_exec_while_a_search_is_under_way(self):
        done = self.run_guest("forking_guest", "vfork", mode="tune")
        self.assertEqual(done.facts, {"child_ended_well": 1, "is_right": 1})
        self.assertEqual(len(done.reports), 1)

    def test_program_that_becomes_another(self):
        done = self.run_guest("forking_guest", "exec", mode="tune")
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 7})
        self.assert_counts(done.report, calls=7)


if __name__ == "__main__":
    unittest.main()
