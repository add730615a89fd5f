# SPDX-License-Identifier: Apache-2.0
"""The commands in the guides work as they stand, and every link of every document leads somewhere."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["TRIODE_ROOT"])
BUILD = Path(os.environ["TRIODE_BUILD"])
PYTHON = os.environ.get("TRIODE_PYTHON", "")
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))


# Who builds or runs the code blocks of a document, by language.
RUNNERS = {
    "README.md": {"sh": "docs/readme_test.py", "cpp": "docs/readme_test.py", "python": "bindings/inductor_test.py"},
    "docs/coming-from-diode.md": {"sh": "docs/coming_from_diode_test.py", "python": "docs/coming_from_diode_test.py"},
    "docs/coming-from-tunableop.md": {"sh": "docs/guides_test.py"},
    "docs/guide/cache.md": {"sh": "docs/guides_test.py", "python": "docs/guides_test.py"},
    "docs/guide/cpp.md": {"cmake": "docs/cpp_guide_test.py", "cpp": "docs/cpp_guide_test.py"},
    "docs/guide/new-device.md": {"sh": "docs/device_test.py", "cpp": "docs/device_test.py"},
    "docs/guide/numpy.md": {"sh": "docs/guides_test.py"},
    "docs/guide/test-on-a-gpu.md": {},
    "docs/guide/torch-compile.md": {"sh": "bindings/inductor_test.py", "python": "bindings/inductor_test.py"},
    "docs/guide/torch-eager.md": {"sh": "docs/guides_test.py", "cpp": "docs/guides_test.py",
                                  "python": "bindings/interception_test.py"},
}


def blocks(path, language):
    return re.findall(rf"^ *```{language}\n(.*?)^ *```$", path.read_text(), re.MULTILINE | re.DOTALL)


def shell_blocks(path):
    return blocks(path, "sh")


class Guides(unittest.TestCase):
    def run_blocks(self, name, prepare=None, after=""):
        """All blocks of a guide, one after another in one folder, with `triode` in PATH; `prepare` puts there, and into
        what is the user's home then, what the guide takes for granted; `after` is run after them."""
        script = "\n".join(shell_blocks(ROOT / "docs" / name))
        self.assertTrue(script)
        with tempfile.TemporaryDirectory() as folder:
            path = os.pathsep.join([str(BUILD / "bin"), *([str(Path(PYTHON).parent)] if PYTHON else []), os.environ["PATH"]])
            environment = os.environ | {"XDG_CACHE_HOME": folder, "XDG_RUNTIME_DIR": folder, "PATH": path}
            if prepare:
                environment |= {"HOME": folder, "XDG_CACHE_HOME": folder + "/.cache"}
                prepare(Path(folder), environment)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script + after], cwd=folder, env=environment,
                                  capture_output=True, text=True)
            subprocess.run([BUILD / "bin/triode-tuner", "stop", "--quiet"], env=environment, check=True)
            files = {file.name for file in Path(folder).iterdir()}
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, done.stderr, files

    @staticmethod
    def tune_program(folder, environment):
        """As often as a busy machine takes to find the first plan."""
        first = shell_blocks(ROOT / "docs/guide/numpy.md")[0]
        while not (folder / ".cache/triode/host.plans").exists():
            subprocess.run(["bash", "-euo", "pipefail", "-c", first], cwd=folder, env=environment, capture_output=True,
                           check=True)

    def test_numpy(self):
        out, err, files = self.run_blocks("guide/numpy.md", self.tune_program)
        self.assertIn("mm f32 64x500x300 nn", err)
        self.assertIn("What would change it", out)
        self.assertIn("report.html", files)

    @unittest.skipUnless(PYTHON, "built without torch")
    def test_torch_eager(self):
        _, err, _ = self.run_blocks("guide/torch-eager.md")
        self.assertIn("f32", err)

    @staticmethod
    def prepare_cache(folder, environment):
        golden = ROOT / "tests/cache/exchange/golden"
        tuned = folder / "vllm/model_executor/layers/quantization/utils/configs"
        triton = folder / ".triton/cache/ABC"
        for made in (tuned, triton):
            made.mkdir(parents=True)
        shutil.copy(golden / "tunableop_results.csv", folder / "tunableop_results0.csv")
        shutil.copy(golden / "diode_dataset.json", folder / "dataset.json")
        shutil.copy(golden / "matmul_kernel.autotune.json", triton)
        (triton / "matmul_kernel.ttir").write_text("module {}")
        for file in golden.glob("*device_name=*"):
            shutil.copy(file, tuned)
        (tuned / "README.md").write_text("# Tuned configs")
        subprocess.run([BUILD / "bin/triode-cache", "import", "--quiet", "--problem", "mm f32 512x512x512 nn",
                        golden / "kernel_tuner_cache.json"], env=environment, check=True)
        shutil.copytree(folder / ".cache/triode", folder / "old-machine/triode")

    @staticmethod
    def python_of(name):
        """Its Python, where there is a torch for it."""
        (block,) = blocks(ROOT / "docs" / name, "python")
        told = 'print("the lookup table has", len(config.lookup_table.table), "entries")'
        script = f"{block}\n{told}" if PYTHON else 'print("the lookup table has not been read: no torch")'
        return f"\n{PYTHON or sys.executable} - <<'END'\n{script}\nEND\n"

    def test_cache(self):
        out, err, files = self.run_blocks("guide/cache.md", self.prepare_cache, self.python_of("guide/cache.md"))
        self.assertIn("mm f32 512x512x512 nn", out)
        self.assertIn("files in a folder that no format claims", err)
        self.assertLessEqual({"again.json", "table.json", "folder", "frozen.plans"}, files)
        self.assertIn("the lookup table has", out)

    def test_coming_from_tunableop(self):
        out, _, files = self.run_blocks("coming-from-tunableop.md")
        self.assertIn("25088", out)
        self.assertIn("again.csv", files)


class Blocks(unittest.TestCase):
    def test_each_block_of_readme_and_guides_has_a_test_that_names_its_document(self):
        documents = [ROOT / "README.md", *(ROOT / "docs").glob("coming-from-*.md"), *(ROOT / "docs/guide").glob("*.md")]
        self.assertEqual({str(path.relative_to(ROOT)) for path in documents}, set(RUNNERS))
        for path in documents:
            runners = RUNNERS[str(path.relative_to(ROOT))]
            fences = re.findall(r"^ *```(\w*)$", path.read_text(), re.MULTILINE)
            self.assertEqual(set(fences[::2]), set(runners), path)
            for test in set(runners.values()):
                self.assertIn(path.name, (ROOT / "tests" / test).read_text(), f"{test} does not name {path.name}")

    def test_cpp_of_torch_eager_is_the_example_that_is_built(self):
        licence, code = (ROOT / "docs/examples/torch_product.cc").read_text().split("\n", 1)
        self.assertEqual(blocks(ROOT / "docs/guide/torch-eager.md", "cpp"), [code])


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file(self):
        for document in DOCUMENTS:
            for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text()):
                if "://" not in link:
                    self.assertTrue((document.parent / link).exists(), f"{document.relative_to(ROOT)}: {link}")

    def test_every_help_document_is_what_its_command_prints(self):
        for document in sorted((ROOT / "docs/cli").glob("*.md")):
            program = BUILD / "bin" / ("triode" if document.stem == "triode" else f"triode-{document.stem}")
            with self.subTest(document.name):
                if program.exists():  # training is left out of a build without torch
                    done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
                    self.assertEqual(done.stdout, document.read_text())

    def test_every_command_answers_help(self):
        for program in sorted((BUILD / "bin").glob("triode-*")):
            with self.subTest(program.name):
                done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
                self.assertIn("triode", done.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
