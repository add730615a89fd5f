# SPDX-License-Identifier: Apache-2.0
"""What a call must not notice: whoever answers, the numbers are those that a BLAS promises, and what no
kernel of Triode's can answer reaches the original as it came."""

import unittest

from guest_run import GUESTS, GuestRun

FORCED = ("off", "first", "random")
# Has malloc() fill what it gives with bytes of 0x7F, of which a float is near the greatest there is.
MAX_FLOAT_BYTES = str(0xFF - 0x7F)


class Answers(GuestRun):
    def test_calls_for_the_vendor_reach_it_untouched(self):
        """Wrong arguments, sizes beyond belief, operands that overlap, negative increments."""
        for forced in FORCED:
            with self.subTest(forced):
                done = self.run_guest("recorded_guest", forced=forced)
                self.assertEqual(done.stdout, "failures=0\n")
                self.assert_counts(done.report, answered=0)

    def test_64_bit_sizes_behind_plain_names_reach_the_vendor_whole(self):
        """Of a library that names itself so; a plain name promises 32 bits."""
        self.assertEqual(self.run_plainly(GUESTS / "recorded64_guest").stdout, "failures=0\n")
        for mode, forced in (("off", "off"), ("observe", "off"), ("observe", "random")):
            with self.subTest(mode=mode, forced=forced):
                done = self.run_guest("recorded64_guest", mode=mode, forced=forced)
                self.assertEqual(done.stdout, "failures=0\n")
                for report in done.reports:
                    self.assert_counts(report, calls=0, invalid=36)

    def test_what_scalars_rule_out_is_not_read(self):
        """NaN in c where beta is zero, in a where alpha is, and in the gaps between rows."""
        for forced in FORCED:
            with self.subTest(forced):
                done = self.run_guest("awkward_guest", forced=forced)
                self.assertEqual(set(done.facts.values()), {1}, done.facts)
                answered = 0 if forced == "off" else done.report["calls"]
                self.assert_counts(done.report, calls=10, answered=answered)

    def test_nothing_is_computed_with_what_lies_beside_the_operands(self):
        """Nor with memory that was never written: the guest ends at the first overflow."""
        for forced in FORCED:
            with self.subTest(forced):
                done = self.run_guest("trapping_guest", forced=forced,
                                      variables={"MALLOC_PERTURB_": MAX_FLOAT_BYTES})
                self.assertEqual(done.facts["right"], done.facts["calls"])

    def test_mode_off_is_the_original_bit_for_bit(self):
        plain = self.run_plainly(GUESTS / "inexact_guest", 37, 9)
        off = self.run_guest("inexact_guest", 37, 9, mode="off")
        self.assertEqual(plain.facts["vendor_calls"], 9)
        self.assertEqual(off.facts, plain.facts)
        self.assertEqual(off.reports, [])

    def test_mode_off_looks_at_nothing(self):
        self.assertEqual(self.run_guest("recorded_guest", "unread", mode="off").stdout, "failures=0\n")

    def test_mode_observe_is_too(self):
        plain = self.run_plainly(GUESTS / "inexact_guest", 37, 9)
        self.assertEqual(self.run_guest("inexact_guest", 37, 9).facts, plain.facts)

    def test_a_call_may_be_left_without_returning(self):
        for way in ("exception", "jump", "thread-end"):
            for mode in ("off", "observe", "tune"):
                with self.subTest(way=way, mode=mode):
                    done = self.run_guest("leaving_guest", way, mode=mode)
                    self.assertEqual(done.facts, {"has_left": 1, "is_right": 1})
                    if mode != "off":  # later calls are no longer inside the one that was left
                        self.assert_counts(done.report, calls=5, nested=0)


if __name__ == "__main__":
    unittest.main()
