# SPDX-License-Identifier: Apache-2.0
"""What a program can see of its guest: nothing that it did not ask for."""

import os
import subprocess
import unittest

from guest_run import GUESTS, GuestRun


class ThreadsAndFiles(GuestRun):
    def test_none_before_a_call_is_worth_tuning(self):
        facts = self.run_guest("quiet_guest", mode="tune").facts
        self.assertEqual((facts["tasks_before"], facts["tasks_between"]), (1, 1))
        self.assertEqual(facts["files_between"], facts["files_before"])

    def test_one_thread_then_and_no_file_stays_open(self):
        facts = self.run_guest("quiet_guest", mode="tune").facts
        self.assertEqual(facts["tasks_after"], 2)

    def test_none_ever_unless_it_tunes(self):
        for mode in ("off", "observe"):
            with self.subTest(mode):
                facts = self.run_guest("quiet_guest", mode=mode).facts
                self.assertEqual(facts["tasks_after"], 1)
                self.assertEqual(facts["files_after"], facts["files_before"])


class WhatTheProgramTakesAway(GuestRun):
    def test_descriptors(self):
        for which in ("all", "stderr"):
            with self.subTest(which):
                done = self.run_inside(GUESTS / "descriptors_guest", which)
                self.assertEqual((done.code, done.stdout, done.stderr), (0, "", ""))
                self.assertGreaterEqual(done.report["answered"], 100)

    def test_reader_of_stderr(self):
        """Neither a warning nor the report is worth the program's life."""
        for settings in ({"TRIODE_REPORT_FILE": ""}, {"TRIODE_REPORT_FILE": "", "TRIODE_MODE": "fast"}):
            with self.subTest(settings):
                reader, writer = os.pipe()
                os.close(reader)
                with os.fdopen(writer) as nobody_reads:
                    done = self.run_preloaded(GUESTS / "repeating_guest", 5, 7, stderr=nobody_reads,
                                              **settings)
                self.assertEqual((done.code, done.facts), (0, {"is_right": 1, "vendor_calls": 7}))

    def test_memory(self):
        """A search may be given up for it, with one warning; the program goes on."""
        for room_kb in (0, 1000, 4000, 6000, 7000, 7500, 8000, 10000, 20000, "exhausted"):
            with self.subTest(room_kb):
                done = self.run_inside(GUESTS / "limited_guest", room_kb)
                self.assertEqual((done.code, done.facts), (0, {"begins": 1, "is_right": 1}), done.stderr)
                self.assertRegex(done.stderr, r"\A(triode: no memory .*\n)*\Z")

    def test_library_that_a_search_calls(self):
        done = self.run_guest("loading_guest", "closed-early", GUESTS / "libblas_user.so", mode="tune")
        self.assertEqual(done.facts, {"is_right": 1, "is_alive": 1})


class LocaleOfTheProgram(GuestRun):
    NAME = "de_DE.UTF-8"

    def setUp(self):
        super().setUp()
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / self.NAME],
                              capture_output=True)
        if made.returncode != 0:
            self.skipTest("this machine has no sources of locales (package locales)")

    def test_numbers_are_written_and_read_without_it(self):
        for expected in ("", "known from an earlier run"):
            with self.subTest(expected):
                done = self.run_guest("locale_guest", self.NAME, mode="tune",
                                      variables={"LOCPATH": str(self.folder)})
                self.assertEqual(done.facts, {"is_set": 1, "is_answered": 1, "comma": 1})
                row = done.report["problems"][0]
                self.assertGreater(row["speedup"], 1)
                self.assertEqual(row["remark"], expected)


class WrongSettings(GuestRun):
    """Under LD_PRELOAD, where nobody was asked whether the program should start."""

    def assert_passes_through(self, done, warning: str):
        self.assertEqual((done.code, done.reports), (0, []))
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 7})
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("triode: "), done.stderr)
        self.assertIn(warning, done.stderr)

    def test_wrong_mode(self):
        done = self.run_preloaded(GUESTS / "repeating_guest", 5, 7, TRIODE_MODE="fast")
        self.assert_passes_through(done, "TRIODE_MODE")

    def test_frozen_without_plans(self):
        done = self.run_preloaded(GUESTS / "repeating_guest", 5, 7, TRIODE_MODE="frozen")
        self.assert_passes_through(done, "TRIODE_PLANS")

    def test_nothing_is_said_about_programs_that_do_not_multiply(self):
        done = self.run_preloaded("true", TRIODE_MODE="fast")
        self.assertEqual((done.code, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
