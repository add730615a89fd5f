# SPDX-License-Identifier: Apache-2.0
"""`triode model` as users run it, with the models that are shipped."""

import fcntl
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_MODEL_COMMAND"]
SHIPPED = Path(COMMAND).parent.parent / "share/triode/snapshots"


class ModelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache = self.folder / "cache"

    def run_command(self, *words, code=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        environment["TRIODE_CACHE"] = str(self.cache)
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace"))
        return done.stdout.decode(), done.stderr.decode()

    def json_of(self, *words):
        return json.loads(self.run_command(*words, "--json")[0])

    def in_force(self, kind):
        models = self.json_of("ls")["models"]
        (model,) = [m for m in models if m.get("kind") == kind and m["is_in_force"]]
        return model

    def damaged(self, name="gpu"):
        data = bytearray((SHIPPED / f"{name}.snapshot").read_bytes())
        data[len(data) // 2] ^= 1
        path = self.folder / "damaged.snapshot"
        path.write_bytes(data)
        return path


class Listing(ModelTest):
    def test_without_a_cache_the_shipped_models_are_in_force_and_none_is_made(self):
        for name, kind in {"cpu-x86": "cpu", "gpu": "gpu"}.items():
            model = self.in_force(kind)
            self.assertEqual((model["name"], model["source"]), (name, "shipped"))
        self.assertIn("in force", self.run_command("ls")[0])
        self.assertFalse(self.cache.exists())

    def test_show_prints_the_card_the_features_and_the_nets(self):
        text = self.run_command("show", "cpu-x86")[0]
        shown = self.json_of("show", "cpu-x86")
        self.assertIn(shown["card"], text)
        self.assertIn(shown["digest"], text)
        self.assertIn("Regret", shown["card"])
        self.assertIn("log2_m", shown["features"])
        self.assertTrue(any(net.startswith("rank ") for net in shown["nets"]))
        self.assertEqual(shown["support"]["dtypes"], ["f32", "f64"])

    def test_a_shipped_name_is_not_a_file_beside_the_user_unless_it_is_written_as_a_path(self):
        (self.folder / "gpu").write_bytes((SHIPPED / "cpu-x86.snapshot").read_bytes())
        self.assertEqual((self.json_of("show", "gpu")["kind"], self.json_of("show", "./gpu")["kind"]), ("gpu", "cpu"))

    def test_a_damaged_file_is_said_to_be_so(self):
        for words in (["show"], ["promote"], ["export", "--output", self.folder / "out"]):
            self.assertIn("damaged", self.run_command(*words, self.damaged(), code=1)[1])
        self.assertFalse(self.cache.exists())


class Promoting(ModelTest):
    def test_promotion_takes_effect_and_is_undone(self):
        shipped = self.in_force("gpu")["digest"]
        copy = self.folder / "copy.snapshot"
        self.run_command("export", "gpu", "--output", copy)
        self.assertEqual(copy.read_bytes(), (SHIPPED / "gpu.snapshot").read_bytes())
        promoted = self.json_of("promote", copy)
        self.assertEqual((promoted["digest"], promoted["source"]), (shipped, "cache"))
        self.assertTrue(self.in_force("gpu")["is_promoted"])
        self.assertEqual(self.in_force("cpu")["source"], "shipped")
        undone = self.json_of("promote", "--undo", "gpu")
        self.assertEqual((undone["digest"], undone["source"]), (shipped, "shipped"))
        self.assertIn("no model is promoted", self.run_command("promote", "--undo", "gpu", code=1)[1])

    def test_a_model_in_the_cache_goes_by_the_beginning_of_its_digest(self):
        digest = self.json_of("promote", "gpu")["digest"]
        self.json_of("promote", "--undo", "gpu")
        self.assertTrue(self.json_of("promote", digest[:8])["is_promoted"])
        out = self.folder / "out.snapshot"
        self.assertEqual(self.json_of("export", digest[:8], "--output", out)["digest"], digest)
        self.assertEqual(out.read_bytes(), (SHIPPED / "gpu.snapshot").read_bytes())

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_cache_that_may_not_be_written_is_read_all_the_same(self):
        self.json_of("promote", "gpu")
        for path in [*self.cache.rglob("*"), self.cache]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.addCleanup(lambda: [p.chmod(0o755) for p in [self.cache, *self.cache.rglob("*")]])
        self.assertTrue(self.in_force("gpu")["is_promoted"])
        self.run_command("promote", "cpu-x86", code=1)

    def test_while_another_process_writes_the_cache_is_read_and_not_written(self):
        self.json_of("promote", "gpu")
        with open(self.cache / "store" / "LOCK", "r+") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            self.assertTrue(self.in_force("gpu")["is_promoted"])
            self.run_command("promote", "cpu-x86", code=1)
            self.run_command("promote", "--undo", "gpu", code=1)
        self.assertTrue(self.in_force("gpu")["is_promoted"])
        self.assertEqual(self.in_force("cpu")["source"], "shipped")

    def test_a_cache_that_cannot_be_made_is_an_error(self):
        self.cache = self.folder / "file"
        self.cache.write_text("no folder")
        self.assertIn(str(self.cache), self.run_command("promote", "gpu", code=1)[1])


class Usage(ModelTest):
    def test_unknown_models_are_not_found(self):
        for words in (["show", "nothing"], ["promote", "0123456789"], ["show", "gp"],
                      ["export", "no/such.snapshot", "--output", "x"]):
            self.assertIn("no model is called", self.run_command(*words, code=1)[1])

    def test_wrong_words_are_wrong_usage(self):
        for words in ([], ["promot"], ["ls", "gpu"], ["show"], ["show", "gpu", "gpu"], ["promote"],
                      ["promote", "--undo", "tpu"], ["promote", "gpu", "--undo", "gpu"],
                      ["export", "gpu"], ["ls", "--nonsense"]):
            self.assertIn("see 'triode model --help'", self.run_command(*words, code=2)[1], words)
        self.assertIn("did you mean 'promote'", self.run_command("promot", code=2)[1])

    def test_help_and_version(self):
        self.assertIn("# triode model", self.run_command("--help")[0])
        self.assertEqual(self.json_of("--version")["name"], "triode-model")


if __name__ == "__main__":
    unittest.main()
