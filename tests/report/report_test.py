# SPDX-License-Identifier: Apache-2.0
"""`triode report` as users run it, and its page in a browser. Screenshots are left in TRIODE_TEST_OUTPUT."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

COMMAND = os.environ["TRIODE_REPORT_COMMAND"]
SAMPLE = os.environ["TRIODE_SAMPLE_CACHE"]
OUTPUT = Path(os.environ["TRIODE_TEST_OUTPUT"])
# What shows a figure in each chart; lines that guide the eye do not count. Where every point of the sample is drawn,
# how many: nine tuned problems; a vendor's and a best time of ten, of which one has no vendor's; trials that ran.
CHARTS = {"speedups": ".point", "roofline": ".point", "predictions": ".point", "regret": ".point", "choices": ".js-line", "landscape": ".hm image",
          "timeline": ".point"}
POINTS = {"speedups": 9, "roofline": 19, "predictions": 370}
PHONE = 390  # CSS pixels

# Sorts and filters the table as a user would, and leaves what it saw in the page and with the page around it.
USER = """
<script>
addEventListener("load", () => setTimeout(() => {
  const first = () => document.querySelector("#problems tbody tr td").textContent;
  const seen = {};
  const press = (title) => [...document.querySelectorAll("#problems th button")]
      .find((button) => button.textContent === title).click();
  press("vendor");
  seen.most = first();
  press("vendor");
  seen.least = first();
  const filter = document.getElementById("filter");
  filter.value = "17x20";
  filter.dispatchEvent(new Event("input"));
  seen.filtered = [...document.querySelectorAll("#problems tbody tr")].map((row) => row.cells[0].textContent);
  seen.injected = document.querySelectorAll("img").length;
  seen.marks = Object.fromEntries(Object.entries(%s).map(([id, mark]) =>
      [id, document.querySelectorAll(`#${id} ${mark}`).length]));
  seen.width = innerWidth;
  seen.tooWide = document.documentElement.scrollWidth - innerWidth;
  seen.background = getComputedStyle(document.body).backgroundColor;
  seen.chartText = getComputedStyle(document.querySelector("#roofline .xtick text")).fill;
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
  parent.postMessage(note.textContent, "*");
}, 500));
</script>
""" % json.dumps(CHARTS)

# A browser's window is never as narrow as a phone; a frame in it is.
FRAME = """
<body style="margin: 0"><iframe src="%s" style="width: %dpx; height: %dpx; border: 0"></iframe>
<script>
addEventListener("message", (event) => {
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = event.data;
  document.body.append(note);
});
</script>
"""


def browse(path, *options):
    """What Chromium prints when it has loaded a page: the document, and its log."""
    if shutil.which("chromium") is None:
        raise unittest.SkipTest("chromium is not installed")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--enable-logging=stderr", f"--user-data-dir={profile}", "--virtual-time-budget=8000", *options,
             path.as_uri()],
            capture_output=True, text=True, timeout=120)
    return done.stdout, done.stderr


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.cache = cls.folder / "cache"
        subprocess.run([SAMPLE, cls.cache], check=True)
        OUTPUT.mkdir(parents=True, exist_ok=True)

    def run_command(self, *words, code=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRIODE_")}
        done = subprocess.run([COMMAND, *map(str, words)], env=environment, capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def page(self):
        path = OUTPUT / "report.html"
        out, _ = self.run_command("--cache", self.cache, "-o", path)
        self.assertEqual(out.strip(), str(path))
        return path

    def driven(self, path):
        """The page with a user in it."""
        driven = OUTPUT / "driven.html"
        driven.write_text(path.read_text().replace("</body>", USER + "</body>"))
        return driven

    def seen(self, path, *options):
        """What that user saw."""
        document, log = browse(path, "--dump-dom", *options)
        self.assertNotIn("CONSOLE", log)
        return json.loads(re.search(r'<pre id="seen">(.*?)</pre>', document).group(1))


class Page(ReportTest):
    def test_shows_every_chart_sorts_and_filters_without_an_error(self):
        path = self.page()
        seen = self.seen(self.driven(path), "--window-size=1280,1000")
        self.assertTrue(seen["most"].startswith("mm f32 512x515x512"), seen)
        self.assertNotEqual(seen["least"], seen["most"])
        self.assertEqual(seen["filtered"], ["mm f32 17x20x17 nn"])
        self.assertEqual(seen["injected"], 0)
        for chart in CHARTS:
            self.assertGreater(seen["marks"][chart], 0, seen)
        self.assertEqual({chart: seen["marks"][chart] for chart in POINTS}, POINTS)

    def test_fits_a_phone(self):
        frame = OUTPUT / "phone.html"
        frame.write_text(FRAME % (self.driven(self.page()).as_uri(), PHONE, 844))
        seen = self.seen(frame)
        self.assertEqual(seen["width"], PHONE)
        self.assertLessEqual(seen["tooWide"], 0, "the page is wider than the screen")

    def test_is_dark_where_the_system_is(self):
        driven = self.driven(self.page())
        light, dark = self.seen(driven), self.seen(driven, "--force-dark-mode")
        self.assertEqual((light["background"], light["chartText"]), ("rgb(246, 247, 249)", "rgb(28, 36, 48)"))
        self.assertEqual((dark["background"], dark["chartText"]), ("rgb(18, 22, 28)", "rgb(230, 234, 240)"))

    def test_is_photographed_and_printed(self):
        path = self.page()
        frame = OUTPUT / "phone_picture.html"
        frame.write_text(FRAME % (path.as_uri(), PHONE, 6000))
        for name, source, options in [
            ("desktop.png", path, ["--window-size=1280,4200"]),
            ("dark.png", path, ["--window-size=1280,4200", "--force-dark-mode"]),
            ("phone.png", frame, ["--window-size=500,6000"]),
            ("print.pdf", path, ["--no-pdf-header-footer"]),
        ]:
            with self.subTest(name):
                made = OUTPUT / name
                made.unlink(missing_ok=True)
                action = "print-to-pdf" if made.suffix == ".pdf" else "screenshot"
                _, log = browse(source, f"--{action}={made}", *options)
                self.assertNotIn("CONSOLE", log)
                self.assertGreater(made.stat().st_size, 20_000)

    def test_asks_no_server(self):
        text = self.page().read_text()
        self.assertIn("default-src 'none'", text)
        self.assertNotRegex(text, r'<(script|link|img)[^>]+(src|href)=')


class Command(ReportTest):
    def test_json_holds_what_the_page_shows(self):
        facts = json.loads(self.run_command("--cache", self.cache, "--json")[0])
        self.assertEqual(facts["headline"]["tuned"], 9)
        self.assertAlmostEqual(facts["headline"]["geomean_speedup"], 1.5)
        self.assertEqual(facts["headline"]["trials"], 400)
        self.assertGreater(facts["headline"]["exhaustive_trials"], 400)
        self.assertEqual(facts["space_limit"], 1_000_000)
        self.assertEqual(facts["model"]["name"], "cpu-x86")
        self.assertGreater(facts["trials"][0][0][5], 0, "predicted")
        self.assertRegex(facts["devices"][0]["text"], r": avx\w+, \d+ cores?, ")
        self.assertEqual(facts["headline"]["calls"], 0)
        self.assertNotIn("calls", facts["problems"][0])

    def test_compares_two_caches(self):
        other = self.folder / "other"
        subprocess.run([SAMPLE, other], check=True)
        facts = json.loads(self.run_command("--compare", self.cache / "store", other / "store", "--json")[0])
        self.assertEqual((facts["both"], facts["geomean_ratio"]), (10, 1))
        path = self.folder / "compared.html"
        self.run_command("--compare", self.cache, other, "--output", path, "--quiet")  # by their folders
        document, log = browse(path, "--dump-dom")
        self.assertNotIn("CONSOLE", log)
        self.assertIn("Problem by problem", document)

    def test_many_problems_share_the_counting_of_their_spaces(self):
        many = self.folder / "many"
        subprocess.run([SAMPLE, many, "200"], check=True)
        facts = json.loads(self.run_command("--cache", many, "--json")[0])
        self.assertEqual(facts["space_limit"], 50_000)
        spaces = [problem["space"] for problem in facts["problems"]]
        self.assertEqual(max(spaces), 50_000)
        self.assertGreater(min(spaces), 0)

    def test_damaged_files_are_named(self):
        damaged = self.folder / "damaged"
        subprocess.run([SAMPLE, damaged], check=True)
        (damaged / "tuner.log").write_bytes(bytes(range(256)) * 64)
        self.run_command("--cache", damaged, "--json")
        plans = damaged / "host.plans"
        plans.write_bytes(plans.read_bytes()[:-40])
        _, err = self.run_command("--cache", damaged, "--json", code=1)
        self.assertIn(str(plans), err)
        plans.unlink()
        (damaged / "store" / "CURRENT").write_bytes(b"\xff")
        _, err = self.run_command("--cache", damaged, "--json", code=1)
        self.assertIn(str(damaged / "store"), err)

    def test_wrong_usage_is_refused(self):
        for words in [["--colour"], ["word"], ["--compare", self.cache], ["--json", "--open"],
                      ["--cache", self.cache, "--compare", self.cache, self.cache]]:
            _, err = self.run_command(*words, code=2)
            self.assertIn("triode report --help", err)

    def test_a_folder_without_a_cache_is_an_error_that_says_so(self):
        _, err = self.run_command("--cache", self.folder / "nothing", code=1)
        self.assertIn("nothing", err)
        self.assertFalse((self.folder / "triode-report.html").exists())

    def test_a_page_that_cannot_be_written_is_an_error(self):
        _, err = self.run_command("--cache", self.cache, "-o", self.folder / "no/such/folder.html", code=1)
        self.assertIn("folder.html", err)


if __name__ == "__main__":
    unittest.main()
