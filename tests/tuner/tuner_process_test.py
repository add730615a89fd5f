# SPDX-License-Identifier: Apache-2.0
"""The tuner as programs and users meet it: started on demand, shared, stopped, killed, and come back.

`triode-tuner` has `triode-cache` beside it; the rest is guest_run.py's. Each test has a folder for the socket
and a cache of its own.
"""

import concurrent.futures
import functools
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, os.environ["TRIODE_HOST_TESTS"])
from guest_run import GUESTS, TUNER, TunedRun  # noqa: E402

PATIENCE_S = 300  # a busy machine may be slow; what hangs is a failure


class TunerProcess(TunedRun):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"

    def status(self) -> dict:
        done = self.tuner("status", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def run_tuned(self, *arguments, guest="tuned_guest"):
        return self.run_inside(GUESTS / guest, *arguments)

    def assert_tuned(self, done):
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.facts, {"is_answered": 1, "is_right": 1})

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def socket_path(self) -> Path:
        return next((self.meeting / "triode").glob("*.socket"))

    def connect(self) -> socket.socket:
        peer = socket.socket(socket.AF_UNIX)
        self.addCleanup(peer.close)
        peer.settimeout(PATIENCE_S)
        peer.connect(str(self.socket_path()))
        return peer

    def ask_cache(self, *words) -> dict:
        """`triode cache WORDS --json`."""
        done = subprocess.run([TUNER.with_name("triode-cache"), *map(str, words), "--json"],
                              env=self.environment({"TRIODE_CACHE": str(self.cache)}), text=True,
                              timeout=PATIENCE_S, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)


class OnDemand(TunerProcess):
    def test_program_starts_it_and_gets_a_plan(self):
        self.assertEqual(self.status(), {})
        done = self.run_tuned(48)
        self.assert_tuned(done)
        row = done.report["problems"][0]
        self.assertGreater(row["speedup"], 1)
        status = self.status()
        self.assertEqual((status["plans"], status["clients"]), (1, []))
        self.assertGreater(status["trials"], 0)
        problem = status["problems"][0]
        self.assertEqual((problem["state"], problem["clients"], status["problem_count"]), ("tuned", 0, 1))
        self.assertIn("48x48x48", problem["problem"])
        self.assertEqual(problem["trials"], status["trials"])
        self.assertGreater(problem["speedup"], 1)
        self.assertGreater(problem["use"]["vendor_calls"], 0)
        self.assertEqual(len(status["model_digest"]), 64)

    def test_it_is_not_pinned_to_the_core_of_the_program_that_started_it(self):
        cores = os.sched_getaffinity(0)
        pin = functools.partial(os.sched_setaffinity, 0, {min(cores)})
        self.assert_tuned(self.run_inside(GUESTS / "tuned_guest", 48, preexec_fn=pin))
        status = self.status()
        for process in (status["pid"], status["worker_pid"]):
            self.assertGreaterEqual(os.sched_getaffinity(process), cores)

    def test_program_that_trusts_the_model(self):
        done = self.run_inside(GUESTS / "tuned_guest", 48, options=["--trust-model"])
        self.assert_tuned(done)
        self.assertRegex(self.tuner("logs").stdout, r" trusted problem=.*48x48x48")

    def test_what_it_found_is_in_the_cache_while_it_runs(self):
        self.assert_tuned(self.run_tuned(48))
        row = self.ask_cache("ls")["problems"][0]
        self.assertIn("48x48x48", row["problem"])
        self.assertGreater(row["vendor_ns"], 0)
        shown = self.ask_cache("show", row["problem"])["devices"][0]
        raced = [config for config in shown["configs"] if "vendor_ns" in config]
        self.assertGreaterEqual(len(raced), 1)
        self.assertEqual([(plan["withdrawn"], plan["prior"]) for plan in shown["plans"]], [(False, "")])
        self.assertIn(shown["plans"][0]["config"], [config["config"] for config in raced])

    def test_exported_plans_answer_in_mode_frozen(self):
        self.assert_tuned(self.run_tuned(48))
        plans = self.folder / "exported.plans"
        self.assertEqual(self.ask_cache("export", "--plans", plans)["plans"], 1)
        shutil.rmtree(self.cache)
        done = self.run_inside(GUESTS / "repeating_guest", 48, 7,
                               options=["--mode", "frozen", "--plans", plans])
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.facts, {"is_right": 1, "vendor_calls": 0})
        self.assert_counts(done.report, calls=7, answered=7)

    def test_second_program_begins_with_the_plan(self):
        self.assert_tuned(self.run_tuned(48))
        before = self.status()
        done = self.run_tuned(48)
        self.assert_tuned(done)
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")
        self.assertEqual(self.status()["trials"], before["trials"])

    def test_plan_outlives_its_tuner(self):
        self.assert_tuned(self.run_tuned(48))
        first = self.status()["pid"]
        self.assertEqual(self.tuner("stop").returncode, 0)
        self.assertEqual(self.status(), {})
        done = self.run_tuned(48)
        self.assert_tuned(done)
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")
        self.assertNotEqual(self.status()["pid"], first)

    def test_program_that_searches_itself_uses_its_plans(self):
        self.assert_tuned(self.run_tuned(48))
        done = self.run_guest("tuned_guest", 48, mode="tune", variables={"TRIODE_TUNER": "local-search"})
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")

    def test_preloaded_by_hand_it_is_the_same(self):
        self.assert_tuned(self.run_preloaded(GUESTS / "tuned_guest", 48))
        self.assertEqual(self.status()["plans"], 1)

    def test_nothing_is_started_for_a_program_that_is_not_worth_it(self):
        done = self.run_tuned(5, 7, guest="repeating_guest")
        self.assertEqual(done.code, 0)
        self.assertEqual(list(self.meeting.iterdir()), [])

    def test_fifty_starters_make_one_tuner(self):
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            done = list(pool.map(lambda _: self.tuner("start", "--json"), range(50)))
        self.assertEqual({(d.returncode, d.stderr) for d in done}, {(0, "")})
        self.assertEqual(len({json.loads(d.stdout)["pid"] for d in done}), 1)

    def test_ends_by_itself_when_nobody_wants_it(self):
        served = subprocess.run([TUNER, "serve", "--idle-seconds", "0.1"], env=self.environment({}),
                                timeout=PATIENCE_S)
        self.assertEqual(served.returncode, 0)
        self.assertEqual(self.status(), {})


class WhatAProgramSees(TunerProcess):
    def test_its_descriptors_are_its_own(self):
        for which in ("all", "stderr"):
            with self.subTest(which):
                done = self.run_tuned(which, guest="descriptors_guest")
                self.assertEqual((done.code, done.stdout, done.stderr), (0, "", ""))
                self.assertGreaterEqual(done.report["answered"], 100)

    def test_no_socket_is_among_its_files(self):
        done = self.run_tuned(guest="quiet_guest")
        self.assertEqual(done.facts["files_after"], done.facts["files_before"])

    def test_library_that_it_closes_is_called_no_more(self):
        for options in ([], ["--threads", "1"]):
            with self.subTest(options):
                done = self.run_inside(GUESTS / "loading_guest", "closed-early", GUESTS / "libthreaded_user.so",
                                       options=options)
                self.assertEqual((done.code, done.stderr), (0, ""))
                self.assertEqual(done.facts, {"is_right": 1, "is_alive": 1})

    def test_forked_child_is_a_client_of_its_own(self):
        done = self.run_tuned("tuned", guest="forking_guest")
        self.assertEqual(done.facts, {"child_ended_well": 1})
        self.assertGreaterEqual(done.reports[0]["answered"], 100)

    def test_fork_while_it_waits_for_the_tuner(self):
        done = self.run_tuned("searching", guest="forking_guest")
        self.assertEqual(done.facts, {"children_that_ended_well": 20, "is_right": 1})


class WithoutATuner(TunerProcess):
    def assert_runs_with_vendor(self, done, warning: str):
        self.assertEqual(done.code, 0)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(warning, done.stderr)
        self.assertEqual(done.report["answered"], 0)

    def run_for_a_while(self):
        return self.run_tuned(80, 200, guest="repeating_guest")

    def test_folder_that_others_may_enter(self):
        (self.meeting / "triode").mkdir()
        (self.meeting / "triode").chmod(0o777)
        self.assert_runs_with_vendor(self.run_for_a_while(), "is not this user's alone")

    def test_library_without_its_tuner(self):
        library = shutil.copy(os.environ["TRIODE_LIBRARY"], self.folder / "libtriode.so")
        done = self.run_command([GUESTS / "repeating_guest", 80, 200],
                                {"LD_PRELOAD": str(library)})
        self.assert_runs_with_vendor(done, "cannot find triode-tuner")

    def test_tuner_of_another_version(self):
        self.tuner("start")
        path = self.socket_path()
        self.tuner("stop")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(PATIENCE_S)
        reason = b"this tuner speaks another version"
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answered = pool.submit(self.refuse_one, listener, reason)
            self.assert_runs_with_vendor(self.run_for_a_while(), reason.decode())
            answered.result()

    @staticmethod
    def refuse_one(listener, reason: bytes):
        peer, _ = listener.accept()
        with peer:
            peer.recv(1 << 16)
            payload = struct.pack("<Q", len(reason)) + reason
            peer.sendall(b"TRIO" + struct.pack("<HHI", 7, 1, len(payload)) + payload)


class Drift(TunerProcess):
    def test_plan_that_lost_its_lead_is_withdrawn_and_looked_for_again(self):
        done = self.run_tuned(48, guest="drifting_guest")
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.assertEqual(done.facts, {"is_answered": 1, "is_withdrawn": 1, "is_right": 1})
        self.assertIn(" withdrawn ", self.tuner("logs").stdout)
        self.assert_tuned(self.run_tuned(48))
        self.assertGreaterEqual(self.status()["searches"], 2)

    def test_plan_that_keeps_its_lead_is_kept(self):
        self.assert_tuned(self.run_tuned(48))
        done = self.run_tuned(48, 20000, guest="repeating_guest")
        self.assertEqual(done.report["problems"][0]["plan"], "tuned")
        # The vendor answers two of 258 once there is a plan.
        self.assertGreater(done.report["answered"], 15000)
        self.assertEqual(self.status()["withdrawals"], 0)


class Faults(TunerProcess):
    def kill_tuner(self):
        os.kill(self.status()["pid"], signal.SIGKILL)
        self.wait_until(lambda: self.status() == {})

    def test_killed_tuner_is_started_again_and_nothing_is_lost(self):
        self.assert_tuned(self.run_tuned(48))
        self.kill_tuner()
        done = self.run_tuned(48)
        self.assert_tuned(done)
        self.assertEqual(done.report["problems"][0]["remark"], "known from an earlier run")

    def test_tuner_killed_while_it_searches(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.run_tuned, 64)
            self.wait_until(lambda: self.status().get("trials", 0) > 0)
            os.kill(self.status()["pid"], signal.SIGKILL)
            self.assert_tuned(running.result())

    def test_worker_killed_while_it_works(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.run_tuned, 64)
            self.wait_until(lambda: self.status().get("worker_pid", 0) != 0)
            worker = self.status()["worker_pid"]
            if worker:
                os.kill(worker, signal.SIGKILL)
            self.assert_tuned(running.result())

    def test_worker_ends_with_its_tuner(self):
        self.assert_tuned(self.run_tuned(48))
        worker = self.status()["worker_pid"]
        self.assertTrue(Path(f"/proc/{worker}").exists())
        self.kill_tuner()
        self.wait_until(lambda: not Path(f"/proc/{worker}").exists())

    def test_many_programs_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for done in pool.map(lambda i: self.run_many(32 + 8 * (i % 3)), range(8)):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("is_answered=1\nis_right=1", done.stdout)
        self.assertEqual(self.status()["plans"], 3)

    def run_many(self, size):
        command = [os.environ["TRIODE_RUN"], GUESTS / "tuned_guest", str(size)]
        return subprocess.run(command, env=self.environment({}), text=True, capture_output=True,
                              timeout=2 * PATIENCE_S)

    def test_peers_that_say_nothing_or_nonsense(self):
        self.tuner("start")
        silent = self.connect()
        rude = self.connect()
        rude.sendall(b"GET / HTTP/1.1\r\n\r\n")
        self.assertIn(b"no message of Triode's", rude.recv(1 << 16))
        self.assert_tuned(self.run_tuned(48))
        silent.close()


class Commands(TunerProcess):
    def test_status_of_nobody_fails_and_says_what_to_do(self):
        done = self.tuner("status")
        self.assertEqual(done.returncode, 1)
        self.assertIn("triode tuner start", done.stderr)

    def test_start_status_logs_and_stop(self):
        self.assertEqual(self.tuner("start", "--quiet").stdout, "")
        self.assertIn("0 clients", self.tuner("status").stdout)
        self.assertRegex(self.tuner("logs").stdout, r" start version=\S+ pid=\d+\n\S+ model name=\S+ digest=\S+ "
                         r"origin=\S+ relearned=\d+ remark=\S+\n\Z")
        self.assertTrue(json.loads(self.tuner("stop", "--json").stdout)["was_running"])
        self.assertFalse(json.loads(self.tuner("stop", "--json").stdout)["was_running"])
        self.assertIn(" end ", self.tuner("logs").stdout)

    def serve(self, *options) -> subprocess.Popen:
        served = subprocess.Popen([TUNER, "serve", *options], env=self.environment({}))
        self.addCleanup(served.wait, PATIENCE_S)
        self.wait_until(lambda: self.status() != {})
        return served

    def test_counters_and_histograms(self):
        metrics = self.folder / "triode.prom"
        self.serve("--metrics-file", metrics)
        self.assert_tuned(self.run_tuned(48))
        status = self.status()
        tried = sum(count for name, count in status["counters"].items() if name.startswith("trials{"))
        self.assertEqual(tried, status["trials"])
        self.assertEqual(sum(status["histograms"]["speedup"]["counts"]), status["plans_found"])
        self.wait_until(lambda: "triode_tuner_searches_settled_total" in metrics.read_text())
        self.tuner("stop")

    def test_file_that_is_no_model_leaves_the_ranking_to_heuristics(self):
        for file in ("/nowhere", __file__, "none"):
            with self.subTest(file):
                self.serve("--model", file)
                self.assertEqual(self.status()["model"], "")
                log = self.tuner("logs", "--lines", "1").stdout
                self.assertRegex(log, r' model name="" digest="" origin="" relearned=0 remark=' + ('""' if file == "none" else f'.*{file}'))
                self.tuner("stop")

    def test_terminated_tuner_ends_well(self):
        served = subprocess.Popen([TUNER, "serve"], env=self.environment({}))
        self.wait_until(lambda: self.status() != {})
        served.terminate()
        self.assertEqual(served.wait(PATIENCE_S), 0)

    def test_usage(self):
        self.assertIn("triode tuner start|stop|status", self.tuner("--help").stdout)
        self.assertRegex(self.tuner("--version").stdout, r"\Atriode-tuner \d+\.\d+\.\d+\n\Z")
        for words in ((), ("strat",), ("logs", "--lines", "-1"), ("serve", "--idle-seconds", "x"),
                      ("serve", "--cpu-share", "0"), ("serve", "--margin", "-0.1")):
            with self.subTest(words):
                done = self.tuner(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("triode tuner --help", done.stderr)


if __name__ == "__main__":
    unittest.main()
