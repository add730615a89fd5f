# SPDX-License-Identifier: Apache-2.0
"""The end of a program: calls on the way out are answered, and nobody waits for a search."""

import time
import unittest

from guest_run import GUESTS, GuestRun

EXIT_CODE = 3  # of the guest


class Exit(GuestRun):
    def run_to_the_end(self, *arguments, mode="observe", forced="off"):
        done = self.run_inside(GUESTS / "exiting_guest", *arguments,
                               options=["--mode", mode, "--force-plans", forced])
        self.assertEqual((done.code, done.stderr), (EXIT_CODE, ""), (arguments, mode, forced))
        return done

    def test_handlers_and_destructors_multiply(self):
        for mode, forced in (("off", "off"), ("observe", "off"), ("tune", "off"), ("observe", "first"),
                             ("observe", "random")):
            with self.subTest(mode=mode, forced=forced):
                done = self.run_to_the_end("handlers", 100, mode=mode, forced=forced)
                facts = {name: value for name, value in done.facts.items() if name != "end_ns"}
                self.assertEqual(facts, {"second_handler_is_right": 1, "first_handler_is_right": 1,
                                         "destructor_is_right": 1})

    def test_is_prompt_while_a_search_is_under_way(self):
        for size in (64, 300):
            with self.subTest(size):
                done = self.run_to_the_end("searching", size, mode="tune")
                late_s = (time.monotonic_ns() - done.facts["end_ns"]) / 1e9
                self.assertLess(late_s, 2)
                self.assertEqual(len(done.reports), 1)


if __name__ == "__main__":
    unittest.main()
