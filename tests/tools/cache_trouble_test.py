# SPDX-License-Identifier: Apache-2.0
"""`triode cache` on caches that something was done to: a writer that still runs or was killed, damaged
files, disks that are full or may not be written."""

import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_CACHE_COMMAND"]
WRITER = os.environ["TRIODE_STORM_PEER"]
GOLDEN = Path(os.environ["TRIODE_ROOT"]) / "tests/cache/exchange/golden"
HAS_MOUNT = os.geteuid() == 0 and shutil.which("mount") is not None
ROUND = 2000  # trials that the writer adds before a test looks


class TroubleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.folder / "cache" / "store"

    def run_command(self, *words, code=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        environment["TRIODE_CACHE"] = str(self.store.parent)
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True,
                              text=True, errors="replace")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def json_of(self, *words, **options):
        return json.loads(self.run_command(*words, "--json", **options)[0])

    def trials(self):
        return sum(row["configs"] for row in self.json_of("ls", "--limit", "0")["problems"])

    def start_writer(self):
        """A process that adds trials until it is killed; returns it with the last number it keeps."""
        self.store.parent.mkdir(exist_ok=True)
        writer = subprocess.Popen([WRITER, "write", str(self.store), "0"], stdout=subprocess.PIPE)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.stdout.close)
        self.addCleanup(writer.kill)
        return writer, self.wait_for(writer, ROUND)

    def wait_for(self, writer, number):
        last = -1
        while last < number:
            last = struct.unpack("q", writer.stdout.read(8))[0]
        return last

    def kill(self, writer):
        writer.kill()
        writer.wait()

    def make_killed_cache(self):
        writer, last = self.start_writer()
        self.kill(writer)
        for told in iter(lambda: writer.stdout.read(8), b""):
            last = struct.unpack("q", told)[0]
        return last + 1

    def largest(self, pattern):
        return max(self.store.glob(pattern), key=lambda path: path.stat().st_size)

    def flip(self, path, offset):
        content = bytearray(path.read_bytes())
        content[offset] ^= 0x40
        path.write_bytes(content)


class BesideAWriter(TroubleTest):
    def test_every_look_works_while_it_writes(self):
        writer, last = self.start_writer()
        self.assertGreaterEqual(self.trials(), last + 1)
        self.assertEqual(len(self.json_of("show", "mm f32 1x64x64 nn")["devices"][0]["configs"]), 100)
        stats = self.json_of("stats")
        self.assertEqual((stats["owner_pid"], stats["schema"]), (writer.pid, 3))
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        exported = self.folder / "kt"
        done = self.json_of("export", "--format", "kernel-tuner", "--m", "1..5", "--output", exported)
        self.assertEqual((done["rows"], len(list(exported.iterdir()))), (500, 5))
        self.assertIsNone(writer.poll())

    def test_a_second_writer_is_told_the_pid_of_the_first(self):
        writer, _ = self.start_writer()
        for words in [("compact",), ("prune", "--failed"), ("verify", "--repair")]:
            _, err = self.run_command(*words, code=1)
            self.assertIn(str(writer.pid), err)

    def test_what_is_imported_waits_for_the_next_writer_and_goes_in_once(self):
        writer, _ = self.start_writer()
        writer.send_signal(signal.SIGSTOP)
        self.assertTrue(self.json_of("import", GOLDEN / "timings.csv")["spooled"])
        self.assertEqual(self.json_of("ls", "--origin", "timings-csv")["problems"], [])
        self.kill(writer)
        self.run_command("compact")
        self.assertEqual(len(self.json_of("ls", "--origin", "timings-csv")["problems"]), 4)
        self.run_command("import", GOLDEN / "timings.csv")
        text, _ = self.run_command("export", "--format", "timings-csv", "--source", "timings.csv")
        self.assertEqual(text, (GOLDEN / "timings.csv").read_text())

    def test_an_import_larger_than_the_spool_goes_in_too(self):
        writer, _ = self.start_writer()
        writer.send_signal(signal.SIGSTOP)
        header, *_ = (GOLDEN / "timings.csv").read_text().splitlines()
        large = self.folder / "large.csv"
        # Another n in each row.
        with large.open("w") as file:
            file.write(header + "\n")
            for n in range(8, 8 + 8 * 5000, 8):
                file.write(f"A100,ours,64,{n},32,float16,float16,32,1,{n},1,not_float_32,triton,16,32,16,3,2,3,0,"
                           "0.26259,0.26253,0.27629\n")
        self.assertTrue(self.json_of("import", large)["spooled"])
        self.kill(writer)
        self.run_command("compact")
        self.assertEqual(len(self.json_of("ls", "--origin", "timings-csv", "--limit", "0")["problems"]), 5000)

    def test_a_spool_without_a_cache_is_named_and_taken_in(self):
        writer, _ = self.start_writer()
        writer.send_signal(signal.SIGSTOP)
        self.run_command("import", GOLDEN / "timings.csv")
        self.store = self.folder / "other" / "store"
        self.store.mkdir(parents=True)
        shutil.copy(self.folder / "cache" / "store" / "spool", self.store)
        for words in [("ls",), ("stats",), ("show", "mm f32 1x64x64 nn")]:
            _, err = self.run_command(*words, code=1)
            self.assertIn("4 trials wait in its spool; `triode cache compact`", err)
        self.run_command("compact")
        self.assertEqual(len(self.json_of("ls")["problems"]), 4)


class Damage(TroubleTest):
    def setUp(self):
        super().setUp()
        self.kept = self.make_killed_cache()

    def repair(self):
        report = self.json_of("verify", "--repair")
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        return report

    def expect_refused(self, *words):
        _, err = self.run_command(*words, code=1)
        self.assertIn(str(self.store), err)
        self.assertIn("triode cache verify --repair", err)

    def test_a_killed_writer_leaves_nothing_to_repair(self):
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        self.assertGreaterEqual(self.trials(), self.kept)
        self.assertIsNone(self.json_of("stats")["owner_pid"])

    def test_of_a_table_is_found_and_repaired(self):
        self.run_command("compact")
        table = self.largest("*.sst")
        self.flip(table, table.stat().st_size // 3)
        report = self.json_of("verify", code=1)
        self.assertEqual(report["damaged"], 1)
        self.assertIn("cannot be read", report["damages"][0]["reason"])
        _, err = self.run_command("verify", code=1)
        self.assertIn("triode cache verify --repair", err)
        report = self.repair()
        self.assertTrue(report["rebuilt"])
        self.assertTrue((Path(report["copied_to"]) / "CURRENT").exists())
        self.assertGreater(self.trials(), self.kept - 400)

    def test_of_what_a_table_says_of_itself_is_told_and_repaired_without_loss(self):
        self.run_command("compact")
        before = self.trials()
        whole = self.folder / "whole"
        for table in sorted(self.store.glob("*.sst")):
            with self.subTest(table.name):
                shutil.rmtree(whole, ignore_errors=True)
                shutil.copytree(self.store, whole)
                self.flip(table, table.stat().st_size - 400)  # its properties; the index comes before
                self.expect_refused("ls")
                self.expect_refused("verify")
                self.assertTrue(self.repair()["rebuilt"])
                self.assertEqual(self.trials(), before)
                shutil.rmtree(self.store)
                shutil.copytree(whole, self.store)

    def test_of_the_log_is_told_and_repaired(self):
        log = self.largest("*.log")
        self.assertGreater(log.stat().st_size, 0)
        self.flip(log, log.stat().st_size // 2)
        for words in [("ls",), ("stats",), ("import", GOLDEN / "timings.csv")]:
            self.expect_refused(*words)
        self.assertTrue(self.repair()["rebuilt"])

    def test_of_the_manifest_is_told_and_repaired_without_loss(self):
        before = self.trials()
        self.flip(self.largest("MANIFEST-*"), 20)
        self.expect_refused("ls")
        self.repair()
        self.assertEqual(self.trials(), before)

    def test_of_the_pointer_to_it_is_told_and_repaired_without_loss(self):
        before = self.trials()
        self.flip(self.store / "CURRENT", 2)
        self.expect_refused("ls")
        self.repair()
        self.assertEqual(self.trials(), before)

    def test_of_the_options_harms_nothing(self):
        before = self.trials()
        for options in self.store.glob("OPTIONS-*"):
            self.flip(options, 100)
        self.assertEqual(self.trials(), before)

    def test_of_the_spool_costs_a_frame_and_is_kept_aside(self):
        writer = subprocess.Popen([WRITER, "write", str(self.store), "1000000"],
                                  stdout=subprocess.PIPE)
        self.addCleanup(writer.stdout.close)
        self.wait_for(writer, 1000000)
        writer.send_signal(signal.SIGSTOP)
        self.run_command("import", GOLDEN / "timings.csv")
        self.run_command("import", GOLDEN / "diode_dataset.json")
        self.kill(writer)
        self.flip(self.store / "spool", 60)
        self.run_command("compact")
        self.assertEqual(self.json_of("ls", "--origin", "timings-csv")["problems"], [])
        self.assertGreater(len(self.json_of("ls", "--origin", "diode-dataset")["problems"]), 0)
        families = {row["name"]: row["records_about"] for row in self.json_of("stats")["families"]}
        self.assertEqual(families["quarantine"], 1)

    def test_a_log_cut_short_loses_only_what_was_cut(self):
        before = self.trials()
        log = self.largest("*.log")
        with open(log, "r+b") as file:
            file.truncate(log.stat().st_size - 10)
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        self.assertEqual(self.trials(), before - 20)  # a batch of the writer's

    @unittest.skipUnless(shutil.which("ldb"), "ldb is missing: install rocksdb-tools")
    def test_a_newer_schema_is_refused_by_all_and_left_alone(self):
        subprocess.run(["ldb", f"--db={self.store}", "--column_family=meta", "put",
                        "schema_version", "99"],
                       check=True, capture_output=True)
        for words in [("ls",), ("stats",), ("verify",), ("verify", "--repair"), ("compact",),
                      ("prune", "--failed"), ("import", GOLDEN / "timings.csv"),
                      ("export", "--format", "diode-dataset")]:
            _, err = self.run_command(*words, code=1)
            self.assertIn("newer", err, words)
        read = subprocess.run(["ldb", f"--db={self.store}", "--column_family=meta", "get",
                               "schema_version"],
                              check=True, capture_output=True, text=True)
        self.assertEqual(read.stdout.strip(), "99")


@unittest.skipUnless(HAS_MOUNT, "only root can mount a small disk")
class Disks(TroubleTest):
    def mount(self, *words):
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("this system lets nobody mount: " + done.stderr)

    def unmount(self, path):
        subprocess.run(["umount", "--lazy", path], check=True)

    def test_a_full_one_is_told_and_nothing_half_imported(self):
        disk = self.store.parent
        disk.mkdir()
        self.mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", disk)
        self.addCleanup(self.unmount, disk)
        self.run_command("import", GOLDEN / "timings.csv")
        free = os.statvfs(disk)
        (disk / "ballast").write_bytes(b"x" * (free.f_bfree * free.f_frsize - 8192))
        _, err = self.run_command("import", GOLDEN / "diode_dataset.json", code=1)
        self.assertIn("No space left on device", err)
        (disk / "ballast").unlink()
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        self.assertEqual(len(self.json_of("ls")["problems"]), 4)
        self.run_command("import", GOLDEN / "diode_dataset.json")
        self.assertEqual(len(self.json_of("ls")["problems"]), 14)

    def test_one_that_may_not_be_written_serves_those_who_look(self):
        self.run_command("import", GOLDEN / "timings.csv")
        disk = self.store.parent
        self.mount("--bind", disk, disk)
        self.addCleanup(self.unmount, disk)
        self.mount("-o", "remount,bind,ro", disk)
        self.assertEqual(len(self.json_of("ls")["problems"]), 4)
        self.assertEqual(self.json_of("verify")["damaged"], 0)
        for words in [("import", GOLDEN / "diode_dataset.json"), ("compact",),
                      ("verify", "--repair"), ("prune", "--failed")]:
            _, err = self.run_command(*words, code=1)
            self.assertIn(str(self.store), err)
            self.assertIn("Read-only file system", err)


if __name__ == "__main__":
    unittest.main()
