# SPDX-License-Identifier: Apache-2.0
"""triode.install() in torches and on machines that lack something, and how it is undone. Nothing is compiled."""

import os
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from unittest import mock

import selection_test
import torch
import triode
from torch._inductor import choices, config, graph, kernel_inputs, select_algorithm
from torch._inductor.kernel import mm
from torch._inductor.kernel_template_choice import KernelTemplateChoice
from torch._inductor.virtualized import V
from triode import _cpu_choices, _handlers, inductor

HOOK = "_finalize_template_configs"


class Others(choices.InductorChoices):
    """A handler that somebody else had set."""

    def uuid(self):
        return "others"


def selector():
    return select_algorithm.get_algorithm_selector_cache()


def on_another_thread(function):
    said = []
    thread = threading.Thread(target=lambda: said.append(function()))
    thread.start()
    thread.join()
    return said[0]


class Installing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.enterContext(mock.patch.dict(os.environ, TRIODE_CACHE=folder.name))
        self.addCleanup(triode.uninstall)
        self.hook = getattr(choices.InductorChoices, HOOK)

    def assert_nothing_is_installed(self):
        self.assertEqual(triode.status(), {"installed": False})
        self.assertNotIn("triode", dict(choices.registered_inductor_choices()))
        self.assertEqual(selector().feedback_saver_fns, [])
        self.assertNotIn("autotune", vars(selector()))
        self.assertIs(getattr(choices.InductorChoices, HOOK), self.hook)
        self.assertNotIn("Triode", type(V.choices).__name__)


class Lacking(Installing):
    def test_a_torch_without_triton(self):
        with mock.patch.dict(sys.modules, triton=None):
            triode.install()
        (feedback,) = selector().feedback_saver_fns
        self.assertEqual(feedback._toolchain, f"torch {torch.__version__}")
        triode.uninstall()
        self.assert_nothing_is_installed()

    def test_a_processor_that_our_kernels_do_not_run_on(self):
        missing = NotImplementedError("This processor has no AVX2 with FMA, which the cpu device needs.")
        with mock.patch.object(_cpu_choices, "_kernels", None):
            with mock.patch.object(_cpu_choices, "CpuDevice", side_effect=missing):
                triode.install()
        self.assertRegex(triode.status()["cpu"]["unavailable"], "no AVX2")
        self.assertIn("triode", dict(choices.registered_inductor_choices()))
        self.assertIsNone(triode.inductor._installed._uuid()[-1])

    def test_an_amd_gpu_is_passed_through_and_counted(self):
        """By stand-ins: its names of devices are NVIDIA's."""
        offered = selection_test.templates()
        inputs = selection_test.Inputs(1024, 1024, 1024)
        inputs.device = lambda: torch.device("cuda", 0)
        with mock.patch.object(torch.version, "hip", "6.0"), triode.install() as installed:
            self.assertEqual(installed.selection.select(offered, inputs, "mm"), offered)
            self.assertEqual(triode.status()["counters"]["fallback_unsupported"], 1)
            (told,) = triode.explain()
        self.assertIn("AMD", told["problem"])


class AllOrNothing(Installing):
    def test_what_fails_late_leaves_nothing(self):
        with mock.patch.object(inductor, "_toolchain", side_effect=OSError("broken")):
            with self.assertRaisesRegex(OSError, "broken"):
                triode.install()
        self.assert_nothing_is_installed()

    def test_what_fails_late_leaves_the_earlier_one(self):
        triode.install(top_k=5)
        steps = iter([mock.Mock(side_effect=OSError("broken")), inductor._add_feedback])
        with mock.patch.object(inductor, "_add_feedback", lambda *given: next(steps)(*given)):
            with self.assertRaisesRegex(OSError, "broken"):
                triode.install(top_k=2)
        self.assertEqual(triode.status()["top_k"], 5)
        self.assertIn("triode", dict(choices.registered_inductor_choices()))
        self.assertEqual(len(selector().feedback_saver_fns), 1)

    def test_a_handler_that_does_not_compose_leaves_nothing(self):
        with mock.patch.object(choices, "register_inductor_choices", side_effect=TypeError("not ours")):
            with self.assertRaisesRegex(TypeError, "not ours"):
                triode.install()
        self.assert_nothing_is_installed()


class OtherTorch(Installing):
    """Whose Inductor is built otherwise, which installing finds out by choosing once."""

    def assert_refused(self, reason, *change):
        triode.install(top_k=5)
        with mock.patch.object(*change), self.assertRaisesRegex(RuntimeError, f"from torch 2.15: .*{reason}"):
            triode.install(top_k=2)
        self.assertEqual(triode.status()["top_k"], 5)
        self.assertNotIn("total_calls", triode.status()["counters"])
        triode.uninstall()
        self.assert_nothing_is_installed()

    def test_inputs_that_do_not_tell_their_sizes(self):
        self.assert_refused("TypeError", kernel_inputs.MMKernelInputs, "mnk_hinted", None)

    def test_a_template_of_another_name(self):
        self.assert_refused("triton::other.* cannot be told", mm.mm_template, "name", "other")

    def test_a_vendor_of_another_name(self):
        renamed = property(lambda self: "extern::mm")
        self.assert_refused("library's kernel is called extern::mm", select_algorithm.ExternKernelChoice, "uid", renamed)

    def test_choices_that_do_not_say_what_made_them(self):
        def without(self, *given, original=KernelTemplateChoice.__init__):
            original(self, *given)
            self.annotations = {}

        self.assert_refused("'ktc'", KernelTemplateChoice, "__init__", without)

    def test_a_graph_that_cannot_be_made(self):
        self.assert_refused("TypeError", graph, "GraphLowering", None)


class OlderTorch(Installing):
    """Without the newest way in; the older two are tested on this torch, which has them all."""

    def setUp(self):
        super().setUp()
        for name in ("register_inductor_choices", "unregister_inductor_choices"):
            register = getattr(choices, name)
            delattr(choices, name)
            self.addCleanup(setattr, choices, name, register)
        self.addCleanup(V.set_choices_handler, V.choices)
        self.addCleanup(setattr, config, "inductor_choices_class", config.inductor_choices_class)

    def test_a_class_of_others_goes_on_and_is_put_back(self):
        config.inductor_choices_class = Others
        with triode.install() as installed:
            self.assertEqual(triode.status()["way"], "inductor_choices_class")
            self.assertTrue(issubclass(config.inductor_choices_class, Others))
            self.assertEqual(config.inductor_choices_class().uuid(), ("others", installed._uuid()))
        self.assertIs(config.inductor_choices_class, Others)
        self.assert_nothing_is_installed()

    def test_what_others_set_meanwhile_stays(self):
        before = config.inductor_choices_class
        self.assertIsNone(before)
        mine = Others()
        with triode.install() as installed:
            self.assertEqual(config.inductor_choices_class().uuid(), installed._uuid())
            config.inductor_choices_class = Others
            V.set_choices_handler(mine)
        self.assertIs(config.inductor_choices_class, Others)
        self.assertIs(V.choices, mine)

    def test_a_torch_with_neither_way(self):
        with mock.patch.object(_handlers, "hasattr", lambda owner, name: False, create=True):
            with warnings.catch_warnings(action="error"), triode.install():
                self.assertEqual(triode.status()["way"], "InductorChoices")
        self.assert_nothing_is_installed()


class Threads(Installing):
    def test_a_thread_that_has_a_handler_chooses_by_the_model_until_uninstalled(self):
        stock = choices.InductorChoices()
        with triode.install() as installed, self.keeping_one(installed):
            self.assertEqual(on_another_thread(lambda: self.chosen_by(stock)), ["one"])
            registered = choices.create_inductor_choices(None)
            self.assertEqual(self.chosen_by(registered), ["one"])
        self.assertEqual(self.chosen_by(stock), ["all"])
        with triode.install() as again, self.keeping_one(again):
            for kept in (stock, registered):
                self.assertEqual(self.chosen_by(kept), ["one"])

    def test_what_others_wrapped_around_the_hook_stays_and_chooses_once(self):
        def wrapped(*given):
            return [*ours(*given), "theirs"]

        self.addCleanup(setattr, choices.InductorChoices, HOOK, self.hook)
        with triode.install():
            ours = getattr(choices.InductorChoices, HOOK)
            setattr(choices.InductorChoices, HOOK, wrapped)
        stock = choices.InductorChoices()
        self.assertEqual(self.chosen_by(stock), ["all", "theirs"])

    def keeping_one(self, installed):
        return mock.patch.object(installed.selection, "select", return_value=["one"])

    def chosen_by(self, handler):
        """Of an op on a gpu with one choice."""
        inputs = mock.Mock()
        inputs.device.return_value = torch.device("cuda", 0)
        return handler._finalize_template_configs({"all": iter(["all"])}, inputs, [], "mm")


class Auto(unittest.TestCase):
    def test_importing_auto_installs(self):
        said = subprocess.run(
            [sys.executable, "-c", "import triode.auto; print(triode.status()['installed'])"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(said.stdout.strip(), "True")


if __name__ == "__main__":
    unittest.main()
