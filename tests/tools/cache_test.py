# SPDX-License-Identifier: Apache-2.0
"""`triode cache` as users run it, on caches filled from the golden files of other tools."""

import json
import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_CACHE_COMMAND"]
GOLDEN = Path(os.environ["TRIODE_ROOT"]) / "tests/cache/exchange/golden"


class CacheTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def run_command(self, *words, code=0, cache=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        environment["TRIODE_CACHE"] = str(cache or self.folder / "cache")
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace"))
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def json_of(self, *words, **options):
        return json.loads(self.run_command(*words, "--json", **options)[0])

    def bring_in(self, *names, **options):
        return self.json_of("import", "--device", "NVIDIA A100", "--moe-k", "4096",
                            *(GOLDEN / name for name in names), **options)


class Exchange(CacheTest):
    FILES = {
        "diode-dataset": "diode_dataset.json",
        "diode-dataset-msgpack": "diode_dataset.msgpack",
        "diode-table": "diode_table.json",
        "tunableop": "tunableop_results.csv",
        "vllm": "N=2048,K=512,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json",
        "triton-autotune": "matmul_kernel.autotune.json",
        "kernel-tuner": "kernel_tuner_cache.json",
        "inductor": "inductor_table.json",
        "timings-csv": "timings.csv",
    }

    def test_a_file_comes_out_as_it_went_in(self):
        for name in self.FILES.values():
            self.bring_in(name)
        for format_name, name in self.FILES.items():
            output = self.folder / "out"
            self.run_command("export", "--format", format_name, "--source", name, "--output", output)
            self.assertEqual(output.read_bytes(), (GOLDEN / name).read_bytes(), name)

    def test_the_older_form_of_diodes_comes_out_as_it_went_in(self):
        self.bring_in("diode_legacy.json")
        text, _ = self.run_command("export", "--format", "diode-dataset")
        self.assertEqual(text, (GOLDEN / "diode_legacy.json").read_text())

    def test_importing_again_changes_nothing(self):
        self.bring_in("diode_dataset.json")
        before = self.run_command("export", "--format", "diode-dataset")[0]
        self.bring_in("diode_dataset.json")
        self.assertEqual(self.run_command("export", "--format", "diode-dataset")[0], before)

    def test_importing_an_edited_file_adds_what_is_new_in_it(self):
        path = self.folder / "timings.csv"
        header, *rows = (GOLDEN / "timings.csv").read_text().splitlines(keepends=True)
        new = rows[0].replace("0.0264,", "0.0265,")
        self.assertNotEqual(new, rows[0])
        for lines in (rows, [new, *rows, rows[1]]):
            path.write_text("".join([header, *lines]))
            self.json_of("import", path)
            text, _ = self.run_command("export", "--format", "timings-csv", "--source", path.name)
            self.assertEqual(text, path.read_text())

    def test_a_wrong_file_imports_nothing_of_the_others_either(self):
        bad = self.folder / "bad.json"
        bad.write_text('{"hardware": {"x": }}')
        _, err = self.run_command("import", GOLDEN / "diode_dataset.json", bad, code=1)
        self.assertIn("bad.json, line 1, column 20", err)
        self.assertIn("nothing was imported", err)
        self.run_command("ls", code=1)  # there is no cache

    def test_ls_and_the_formats_of_one_time_agree_on_a_config_timed_several_times(self):
        text = (GOLDEN / "kernel_tuner_cache.json").read_text()
        for name, factor, toolchain in [("a", 1, "x"), ("b", 3, "x"), ("c", 0.9, "y"), ("d", 2, "y")]:
            cache = json.loads(text)
            for entry in cache["cache"].values():
                if isinstance(entry["time"], float):
                    entry["time"] *= factor
                    entry["times"] = [time * factor for time in entry["times"]]
            path = self.folder / (name + ".json")
            path.write_text(json.dumps(cache))
            self.run_command("import", "--toolchain", toolchain, path)
        best = self.json_of("ls")["problems"][0]["best_ns"]
        exported = json.loads(self.run_command("export", "--format", "kernel-tuner")[0])["cache"]
        times = [row["time"] for row in exported.values() if isinstance(row["time"], float)]
        self.assertAlmostEqual(min(times) * 1e6 / best, 1, places=9)
        self.assertEqual(len(exported), len(cache["cache"]))

    def test_what_does_not_come_along_is_listed(self):
        self.bring_in("diode_dataset.json")
        done = self.json_of("export", "--format", "tunableop", "--output", self.folder / "t.csv")
        self.assertEqual(done["dropped"][0]["count"], 30)

    def test_a_folder_is_imported_whole(self):
        folder = self.folder / "tuned"
        folder.mkdir()
        for name in GOLDEN.glob("*device_name=*"):
            (folder / name.name).write_bytes(name.read_bytes())
        self.assertEqual(self.json_of("import", "--moe-k", "4096", folder)["records"], 4)

    def test_a_folder_may_hold_other_files(self):
        folder = self.folder / "triton/cache"
        for hash_, kernel in [("A", GOLDEN / "matmul_kernel.autotune.json"), ("B", None)]:
            (folder / hash_).mkdir(parents=True)
            (folder / hash_ / "k.autotune.json").write_text(
                kernel.read_text() if kernel else '{"key": [1823, "torch.float32"], "configs_timings": []}')
            (folder / hash_ / "k.json").write_text('{"name": "k", "num_warps": 4, "target": {"arch": 80}}')
            (folder / hash_ / "k.cubin").write_bytes(b"\x7fELF" + bytes(range(256)))
            (folder / hash_ / "k.ttir").write_text("module {}")
        for name in ("README.md", "moe_sum_reduce_4.json", "other.csv", "other.msgpack", "weights.json.gz"):
            (folder / name).write_bytes(b"# Configs" if name != "moe_sum_reduce_4.json" else b'{"1": {"BLOCK_M": 1}}')
        done = self.json_of("import", "--device", "NVIDIA A100", folder)
        self.assertEqual((done["records"], len(done["files"]), len(done["skipped"])), (3, 2, 11))
        reasons = [entry["reason"] for entry in done["dropped"]]
        self.assertTrue(any("no format claims" in reason for reason in reasons), reasons)
        self.assertTrue(any("not of a matmul" in reason for reason in reasons), reasons)
        self.run_command("import", "--device", "NVIDIA A100", folder / "README.md", code=1)
        self.run_command("import", "--device", "NVIDIA A100", folder / "B/k.autotune.json", code=1)

    def test_a_damaged_file_of_a_known_format_refuses_its_folder(self):
        folder = self.folder / "tuned"
        folder.mkdir()
        (folder / "whole.json").write_bytes((GOLDEN / "diode_dataset.json").read_bytes())
        for name, text in [("cut.json", (GOLDEN / "diode_dataset.json").read_bytes()[:-9]),
                           ("k.autotune.json", b'{"key": [1, 2, 3'),
                           ("N=64,K=32,device_name=X.json", b'{"1": '),
                           ("t.csv", (GOLDEN / "timings.csv").read_bytes()[:-9])]:
            (folder / name).write_bytes(text)
            _, err = self.run_command("import", "--device", "X", folder, code=1)
            self.assertIn(name, err)
            (folder / name).unlink()
        self.run_command("ls", code=1)  # there is no cache

    def test_a_folder_without_a_file_of_any_format_is_an_error(self):
        (self.folder / "src").mkdir()
        (self.folder / "src/a.md").write_text("# A")
        _, err = self.run_command("import", self.folder / "src", code=1)
        self.assertIn("--format", err)

    def test_a_dry_run_stores_nothing(self):
        done = self.json_of("import", "--dry-run", GOLDEN / "diode_dataset.json")
        self.assertEqual((done["records"], done["dry_run"]), (30, True))
        self.run_command("stats", code=1)

    def test_an_import_shows_how_far_it_is_on_a_terminal_alone(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        words = ["import", "--device", "NVIDIA A100", GOLDEN / "timings.csv"]
        done = subprocess.run([COMMAND, *words, "--cache", self.folder / "cache"], stderr=theirs)
        os.close(theirs)
        shown = os.read(ours, 1 << 16).decode()
        self.assertEqual(done.returncode, 0, shown)
        for step in ("reading file 1 of 1, ", "storing 4 records", "summarizing"):
            self.assertIn(step, shown)
        self.assertTrue(shown.endswith("imported 4 records from 1 files\r\n"), shown)
        _, err = self.run_command(*words)
        self.assertEqual(err.count("\n"), 1, err)

    def test_gzip_goes_both_ways(self):
        self.bring_in("timings.csv")
        output = self.folder / "t.csv.gz"
        self.run_command("export", "--format", "timings-csv", "--output", output)
        self.assertEqual(output.read_bytes()[:2], b"\x1f\x8b")
        other = self.folder / "other"
        self.assertEqual(self.json_of("import", output, cache=other)["records"], 4)
        again = self.folder / "again.csv"
        self.run_command("export", "--format", "timings-csv", "--source", "t.csv.gz", "--output",
                         again, cache=other)
        self.assertEqual(again.read_bytes(), (GOLDEN / "timings.csv").read_bytes())

    def test_a_source_that_nothing_came_from_is_an_error(self):
        self.bring_in("timings.csv")
        _, err = self.run_command("export", "--format", "timings-csv", "--source", "x.csv", code=1)
        self.assertIn("nothing that matches came from a file called 'x.csv'", err)

    def test_plans_are_written_for_frozen_mode(self):
        self.bring_in("timings.csv")
        plans = self.folder / "frozen.plans"
        self.assertEqual(self.json_of("export", "--plans", plans)["plans"], 0)
        self.assertTrue(plans.read_text().startswith("triode-plans 1 "))


class Looking(CacheTest):
    def setUp(self):
        super().setUp()
        self.bring_in("timings.csv", "diode_dataset.json")

    def test_ls_filters(self):
        self.assertEqual(len(self.json_of("ls")["problems"]), 14)
        self.assertEqual(len(self.json_of("ls", "--target", "h100")["problems"]), 5)
        self.assertEqual(len(self.json_of("ls", "--op", "bmm", "--target", "h100")["problems"]), 2)
        self.assertEqual(len(self.json_of("ls", "--dtype", "f32", "--op", "mm")["problems"]), 1)
        self.assertEqual(len(self.json_of("ls", "--m", "1400..1500")["problems"]), 2)
        self.assertEqual(len(self.json_of("ls", "--outcome", "launch-failed")["problems"]), 1)
        self.assertEqual(len(self.json_of("ls", "--origin", "timings-csv")["problems"]), 4)

    def test_ls_limits_and_sorts(self):
        short = self.json_of("ls", "--limit", "2")
        self.assertEqual((len(short["problems"]), short["more"]), (2, True))
        slowest = self.json_of("ls", "--sort", "time", "--limit", "3")["problems"]
        times = [row["best_ns"] for row in slowest]
        self.assertEqual(times, sorted(times, reverse=True))

    def test_ls_prints_a_table_without_colour_into_a_pipe(self):
        text, _ = self.run_command("ls", "--target", "a100", "--origin", "timings-csv")
        self.assertTrue(text.startswith("DEVICE"))
        self.assertNotIn("\x1b", text)

    def test_show_ranks_configs(self):
        problem = "mm f16 4096x4096x1024 nn ld-aligned"
        shown = self.json_of("show", "--target", "h100", *problem.split())
        configs = shown["devices"][0]["configs"]
        times = [config["median_ns"] for config in configs]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(config["prior"] == "imported from diode-dataset" for config in configs))
        text, _ = self.run_command("show", problem)
        self.assertIn("prior: imported from diode-dataset", text)

    def test_show_has_the_vendors_line(self):
        text, _ = self.run_command("show", "mm f16 1920x1280x1024 nn ld-aligned")
        self.assertIn("vendor: 26.40 us", text)

    def test_show_says_what_to_do_about_an_unknown_problem(self):
        _, err = self.run_command("show", "mm", "f32", "1x2x3", "nn", code=1)
        self.assertIn("triode cache ls", err)
        _, err = self.run_command("show", "mm", "f99", code=2)
        self.assertIn("column 4", err)

    def test_stats_counts_records_and_names_devices(self):
        stats = self.json_of("stats")
        self.assertEqual(len(stats["devices"]), 3)
        self.assertEqual(stats["families"][0], {"name": "measurements", "records_about": 34,
                                                "disk_bytes": stats["families"][0]["disk_bytes"]})

    def test_diff_of_two_caches(self):
        other = self.folder / "other"
        self.bring_in("timings.csv", cache=other)
        here = self.run_command("path")[0].strip()
        there = self.run_command("path", cache=other)[0].strip()
        difference = self.json_of("diff", here, there)
        self.assertEqual((len(difference["only_in_a"]), difference["same"]), (10, 4))
        self.assertEqual(difference["only_in_b"], [])
        text, _ = self.run_command("diff", here, there)
        self.assertIn("0 changed, 10 only in A, 0 only in B, 4 the same", text)


class Keeping(CacheTest):
    def setUp(self):
        super().setUp()
        self.bring_in("timings.csv")

    def test_verify_finds_a_sound_cache_sound(self):
        report = self.json_of("verify")
        self.assertEqual(report["damaged"], 0)
        self.assertGreaterEqual(report["records"], 4)

    def test_prune_needs_to_be_told_what(self):
        _, err = self.run_command("prune", code=2)
        self.assertIn("--older-than", err)
        self.assertEqual(self.json_of("prune", "--failed", "--dry-run")["measurements"], 1)
        self.assertEqual(self.json_of("prune", "--failed")["measurements"], 1)
        self.assertEqual(self.json_of("ls", "--outcome", "launch-failed")["problems"], [])

    def test_compact_loses_nothing(self):
        before = self.run_command("export", "--format", "timings-csv")[0]
        self.json_of("compact")
        self.assertEqual(self.run_command("export", "--format", "timings-csv")[0], before)


class Usage(CacheTest):
    def test_help_is_the_document(self):
        text, _ = self.run_command("--help")
        self.assertEqual(text, (Path(os.environ["TRIODE_ROOT"]) / "docs/cli/cache.md").read_text())

    def test_version(self):
        self.assertEqual(json.loads(self.run_command("--version", "--json")[0])["name"],
                         "triode-cache")

    def test_wrong_usage_is_code_two_and_says_what_is_right(self):
        for words, message in [
            ((), "no command given"),
            (("shwo",), "did you mean 'show'?"),
            (("ls", "--limt", "3"), "did you mean --limit?"),
            (("ls", "--limit"), "needs a value"),
            (("ls", "--limit", "many"), "no whole number"),
            (("ls", "--op", "conv"), "mm, bmm, addmm"),
            (("ls", "--m", "9..3"), "no size and no range"),
            (("ls", "--sort", "size"), "speedup"),
            (("export",), "either --format NAME or --plans FILE"),
            (("export", "--format", "xml"), "diode-dataset"),
            (("import",), "needs files or folders"),
            (("diff", "a"), "two cache folders"),
        ]:
            _, err = self.run_command(*words, code=2)
            self.assertIn(message, err)

    def test_a_cache_that_is_not_there_is_an_error_with_its_path(self):
        _, err = self.run_command("ls", code=1)
        self.assertIn(str(self.folder / "cache"), err)


if __name__ == "__main__":
    unittest.main()
