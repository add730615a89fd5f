# SPDX-License-Identifier: Apache-2.0
"""A cache in trouble under a tuner: tuning goes on, who looks is told, and what was there stays."""

import concurrent.futures
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from tuner_process_test import PATIENCE_S, TUNER, TunerProcess

HAS_MOUNT = os.geteuid() == 0 and shutil.which("mount") is not None


class CacheInTrouble(TunerProcess):
    def run_cache(self, *words):
        return subprocess.run([TUNER.with_name("triode-cache"), *map(str, words)],
                              env=self.environment({"TRIODE_CACHE": str(self.cache)}), text=True,
                              timeout=PATIENCE_S, capture_output=True)

    def assert_tuned_without_trials(self, *reason):
        """Programs go on: the plan is found, and kept where plans are."""
        self.assert_tuned(self.run_tuned(40))
        log = self.tuner("logs").stdout
        for words in ("trials are not kept", *reason):
            self.assertIn(words, log)

    def sizes(self):
        return sorted(row["problem"].split()[2] for row in self.ask_cache("ls")["problems"])


class Gone(CacheInTrouble):
    def test_while_nobody_asks(self):
        self.assert_tuned(self.run_tuned(48))
        shutil.rmtree(self.cache)
        self.wait_until(lambda: self.status() == {})
        self.assert_tuned(self.run_tuned(40))
        self.assertEqual(self.status()["plans"], 1)
        self.assertEqual(self.sizes(), ["40x40x40"])

    def test_under_a_program(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.run_tuned, 48, 40000, guest="repeating_guest")
            self.wait_until(lambda: self.status().get("plans", 0) == 1)
            shutil.rmtree(self.cache)
            self.wait_until(lambda: self.status() == {} or running.done())
            done = running.result()
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.report["problems"][0]["plan"], "tuned")


class Damaged(CacheInTrouble):
    def test_by_hand(self):
        self.assert_tuned(self.run_tuned(48))
        self.tuner("stop")
        (self.cache / "store" / "CURRENT").write_text("MANIFEST-of-nothing\n")
        self.assert_tuned_without_trials("triode cache verify --repair")
        self.assertEqual(self.status()["plans"], 2)
        self.tuner("stop")
        done = self.run_cache("verify", "--repair")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.sizes(), ["48x48x48"])

    @unittest.skipUnless(shutil.which("ldb"), "ldb is missing: install rocksdb-tools")
    def test_of_a_newer_triode(self):
        self.assert_tuned(self.run_tuned(48))
        self.tuner("stop")
        self.set_schema("99")
        self.assert_tuned_without_trials("newer")
        self.tuner("stop")
        self.assertIn("newer", self.run_cache("ls").stderr)
        self.set_schema(self.schema)
        self.assertEqual(self.sizes(), ["48x48x48"])

    def set_schema(self, version):
        words = ["ldb", f"--db={self.cache / 'store'}", "--column_family=meta"]
        read = subprocess.run([*words, "get", "schema_version"], check=True, capture_output=True, text=True)
        self.schema = read.stdout.strip()
        subprocess.run([*words, "put", "schema_version", version], check=True, capture_output=True)


@unittest.skipUnless(HAS_MOUNT, "only root can mount a small disk")
class Disks(CacheInTrouble):
    def mount(self, *words):
        self.cache.mkdir(exist_ok=True)
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("this system lets nobody mount: " + done.stderr)

    def unmount_at_the_end(self):
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.cache], check=True)

    def tearDown(self):
        self.tuner("stop")

    def test_that_is_full(self):
        self.mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", self.cache)
        self.unmount_at_the_end()
        self.assert_tuned(self.run_tuned(48))
        self.tuner("stop")
        free = os.statvfs(self.cache)
        ballast = self.cache / "ballast"
        ballast.write_bytes(b"x" * (free.f_bfree * free.f_frsize))
        done = self.run_tuned(40)
        self.assertEqual((done.code, done.facts), (0, {"is_answered": 1, "is_right": 1}))
        ballast.unlink()
        self.tuner("stop")
        self.assert_tuned(self.run_tuned(32))
        self.assertEqual(self.run_cache("verify").returncode, 0)
        self.assertLessEqual({"32x32x32", "48x48x48"}, set(self.sizes()))

    def test_that_may_not_be_written(self):
        self.assert_tuned(self.run_tuned(48))
        self.tuner("stop")
        self.mount("--bind", self.cache, self.cache)
        self.unmount_at_the_end()
        self.mount("-o", "remount,bind,ro", self.cache)
        done = self.run_tuned(48)
        self.assertEqual((done.code, done.facts), (0, {"is_answered": 1, "is_right": 1}))
        self.assertEqual(self.sizes(), ["48x48x48"])


if __name__ == "__main__":
    unittest.main()
