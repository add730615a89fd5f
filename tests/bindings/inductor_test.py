# SPDX-License-Identifier: Apache-2.0
"""The model inside torch.compile, for a gpu that is not there: from a traced module through Inductor's hook to
the generated Triton source. Timings are made up, and the name of the gpu is the argument: one process each."""

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
_folder = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = _folder.name

import torch
import torch._inductor.runtime.triton_helpers as triton_helpers
import triode
import triton
from pretended_gpu import pretended_gpu
from torch._inductor import config, select_algorithm
from torch._inductor.compile_fx import compile_fx
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import FakeTensorMode
from triode import _triode
from triode._template_problem import gpu_of

GPU = "A100"


class TwoProducts(torch.nn.Module):
    """Inductor makes one op of them."""

    def forward(self, a, b, c, d):
        return a @ b + c @ d


class Int8(torch.nn.Module):
    def forward(self, a, b):
        return torch._int_mm(a, b)


class Float8(torch.nn.Module):
    def forward(self, a, b, a_scale, b_scale):
        return torch._scaled_mm(a, b, a_scale, b_scale, out_dtype=torch.bfloat16)


class Product(torch.nn.Module):
    def forward(self, a, b):
        return a @ b


class Layers(torch.nn.Module):
    """An op of each kind that is ranked."""

    def forward(self, x, weight, bias, q, k):
        hidden = torch.nn.functional.gelu(torch.nn.functional.linear(x, weight, bias))
        return torch.relu(hidden @ weight), torch.bmm(q, k)


def inputs():
    f16 = dict(device="cuda", dtype=torch.float16)
    return [
        torch.empty(2048, 1024, **f16),
        torch.empty(1024, 1024, **f16),
        torch.empty(1024, **f16),
        torch.empty(8, 512, 256, **f16),
        torch.empty(8, 256, 512, **f16),
    ]


@contextlib.contextmanager
def captured_sources(sources):
    def compile_to_module(self):
        sources.append(self.codegen()[0].value)
        outputs = len(self.graph_outputs)
        module = mock.Mock(__file__="<captured>")
        module.call = lambda args: [torch.empty(0) for _ in range(outputs)]
        return module

    with mock.patch.object(GraphLowering, "compile_to_module", compile_to_module):
        yield


def compile_layers(time_of=lambda fields: 1.0, dynamic=False, module=Layers, operands=inputs):
    """The generated source, and of each op that was timed its choices, without their running numbers. The
    vendor takes 1000."""
    timed = []

    def benchmark(self, choices, input_nodes, layout, input_gen_fns, hint_override=None, **_):
        timed.append([re.sub(r"_\d+$", "", choice.name) for choice in choices])
        return {
            choice: time_of(choice.annotations["ktc"].params.to_kwargs())
            if isinstance(choice, select_algorithm.TritonTemplateCaller)
            else 1000.0
            for choice in choices
        }

    def backend(module, example_inputs):
        with pretended_gpu(GPU):
            return compile_fx(module, example_inputs)

    sources = []
    torch._dynamo.reset()
    quiet = config.patch(
        max_autotune=True, benchmark_template_fusion=False, fx_graph_cache=False, autotune_local_cache=False
    )
    with quiet, mock.patch.object(select_algorithm.AlgorithmSelectorCache, "benchmark", benchmark):
        with triton_helpers.skip_gpu_driver_setup(), FakeTensorMode(), captured_sources(sources):
            torch.compile(module(), fullgraph=True, backend=backend, dynamic=dynamic)(*operands())
    return sources[0], timed


KERNEL = re.compile(r"async_compile\.triton\('(triton_tem\w+)', '''(.*?)''', device_str='cuda'\)", re.DOTALL)


def kernels_of(source):
    """The kernels in generated source, by name, as Inductor would load them."""
    for name, text in KERNEL.findall(source):
        path = Path(_folder.name) / f"{name}_{len(text)}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield name, getattr(module, name)


def setUpModule():
    # Tables of patterns allocate examples, so they are made while no gpu is pretended.
    from torch._inductor.fx_passes import joint_graph, post_grad, pre_grad

    joint_graph.lazy_init(torch.device("cuda", 0))
    joint_graph.lazy_init(None)
    post_grad.lazy_init()
    pre_grad.lazy_init()


class InstallTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        # The user's own cache, for this test.
        self.enterContext(mock.patch.dict(os.environ, TRIODE_CACHE=self.folder.name))

    def tearDown(self):
        triode.uninstall()
        self.folder.cleanup()

    def told_of(self, op):
        return next(one for one in triode.explain() if one["op"] == op)


class Compile(InstallTest):
    def test_keeps_a_few_templates_and_the_vendor(self):
        _, before = compile_layers()
        triode.install(top_k=3)
        source, timed = compile_layers()
        self.assertGreater(max(map(len, before)), 15)
        for names in timed:
            self.assertLessEqual(sum(name.startswith("triton") for name in names), 6)
            self.assertTrue(any(not name.startswith("triton") for name in names), names)
        counters = triode.status()["counters"]
        self.assertEqual(counters["model_selections"], 3)
        self.assertGreater(counters["configs_filtered"], 30)
        self.assertNotIn("fallback_error", counters)

    def test_generated_code_holds_a_config_that_the_model_kept(self):
        triode.install(top_k=1)
        source, _ = compile_layers()
        generated = re.findall(r"'BLOCK_M': (\d+), 'BLOCK_N': (\d+), 'BLOCK_K': (\d+)", source)
        kept = {
            tuple(map(str, one["config"][:3]))
            for op in ("mm", "addmm", "bmm")
            for one in self.told_of(op)["kept"]
        }
        self.assertTrue(generated)
        self.assertLessEqual(set(generated), kept)

    def test_one_choice_is_not_timed(self):
        triode.install(top_k=1)
        _, timed = compile_layers()
        told = self.told_of("mm")
        if told["support"] == "in support":
            self.assertEqual(triode.status()["counters"]["single_choices"], 1)
            self.assertIn(told["alone"], ("ours", "vendor"))
        else:  # a gpu the model was not trained on keeps the vendor beside
            self.assertTrue(all(len(names) > 1 for names in timed))

    def test_the_chosen_kernels_compile_to_machine_code(self):
        triode.install(top_k=1)
        source, _ = compile_layers()
        cubins = []

        def compile_for_real(*arguments, original=triton.compile, **options):
            kernel = original(*arguments, **options)
            cubins.append(kernel.asm["cubin"])
            return kernel

        with pretended_gpu(GPU), triton_helpers.skip_gpu_driver_setup():
            with mock.patch.object(triton, "compile", compile_for_real):
                for _, kernel in kernels_of(source):
                    kernel._precompile_config(kernel.configs[0])
        self.assertTrue(cubins)
        self.assertTrue(all(cubin.startswith(b"\x7fELF") for cubin in cubins))

    def test_candidates_of_our_own_reach_the_generated_code(self):
        triode.install(top_k=4, threshold=100, own_candidates=True)
        # Inductor lists GROUP_M 8 alone.
        source, _ = compile_layers(lambda fields: 1.0 if fields["GROUP_M"] == 8 else 0.5)
        self.assertGreater(triode.status()["counters"]["own_candidates_kept"], 0)
        self.assertRegex(source, r"GROUP_M'?\s*:( tl.constexpr =)? (?!8\b)\d+")

    def test_sizes_that_vary(self):
        triode.install(top_k=2)
        source, timed = compile_layers(dynamic=True)
        self.assertEqual(triode.status()["counters"]["model_selections"], 3)
        self.assertNotIn("fallback_error", triode.status()["counters"])
        self.assertIn("triton_tem", source)
        for names in timed:
            self.assertLessEqual(sum(name.startswith("triton") for name in names), 4)

    def test_another_op_than_was_trained_is_marked_and_keeps_more(self):
        triode.install(top_k=2, threshold=100)
        compile_layers()
        self.assertEqual(self.told_of("addmm")["support"], "extrapolated")
        self.assertEqual(len(self.told_of("addmm")["kept"]), 4)

    def test_the_same_problem_is_ranked_once(self):
        triode.install()
        compile_layers()
        compile_layers()
        self.assertEqual(triode.status()["counters"]["ranking_cache_hits"], 3)

    def test_what_inductor_times_widens_the_threshold(self):
        triode.install(top_k=3, threshold=1.5)
        # The favourites of the model come out last: the more shared memory, the slower.
        tell = iter(range(1000, 0, -1))
        compile_layers(lambda fields: float(next(tell)))
        self.assertGreater(triode.status()["threshold_now"], 1.5)

    def test_what_inductor_times_goes_into_the_cache(self):
        triode.install(top_k=2)
        compile_layers()
        kept = triode.status()["counters"]["timings_kept"]
        command = [os.environ["TRIODE_COMMAND"], "cache"]
        subprocess.run([*command, "compact", "--quiet"], check=True, capture_output=True)
        listed = json.loads(
            subprocess.run([*command, "ls", "--json"], check=True, capture_output=True).stdout
        )
        self.assertEqual(sum(one["configs"] for one in listed["problems"]), kept)
        self.assertEqual(len(listed["problems"]), 3)

    def test_ops_that_no_key_describes_are_not_kept(self):
        triode.install(top_k=2)
        f16 = dict(device="cuda", dtype=torch.float16)
        compile_layers(module=TwoProducts, operands=lambda: [torch.empty(512, 512, **f16) for _ in range(4)])
        counters = triode.status()["counters"]
        self.assertEqual(self.told_of("mm_plus_mm")["support"], "extrapolated")
        self.assertGreater(counters["feedback_not_kept_mm_plus_mm"], 0)
        self.assertNotIn("timings_kept", counters)

    def test_products_of_eight_bits_are_ranked_though_no_model_knows_them(self):
        triode.install(top_k=2, threshold=100)
        i8 = dict(device="cuda", dtype=torch.int8)
        _, (names,) = compile_layers(
            module=Int8, operands=lambda: [torch.empty(512, 256, **i8), torch.empty(256, 512, **i8)]
        )
        told = self.told_of("int_mm")
        self.assertEqual((told["problem"], told["support"]), ("mm i8 512x512x256 nn ld-aligned", "extrapolated"))
        self.assertEqual(names.count("triton_mm"), 4)
        self.assertLess(len(names), told["candidates"])
        self.assertEqual(triode.status()["counters"]["feedback_not_kept_int_mm"], 4)

    def test_decompose_k_passes_through_and_is_counted(self):
        triode.install(top_k=1)
        f16 = dict(device="cuda", dtype=torch.float16)
        _, (names,) = compile_layers(
            module=Product, operands=lambda: [torch.empty(32, 65536, **f16), torch.empty(65536, 32, **f16)]
        )
        split = sum(name.startswith("decompose_k") for name in names)
        self.assertGreater(split, 1)
        self.assertEqual(triode.status()["counters"]["templates_passed_through"], split)

    def test_timings_that_cannot_be_kept_fail_no_compilation(self):
        triode.install(top_k=2, cache="/dev/null/nowhere")
        with self.assertWarnsRegex(UserWarning, "could not keep the timings"):
            compile_layers()
        self.assertGreater(triode.status()["counters"]["feedback_lost"], 0)

    def test_uninstall_puts_inductors_own_choices_back(self):
        _, before = compile_layers()
        with triode.install(top_k=1):
            compile_layers()
        _, after = compile_layers()
        self.assertEqual(before, after)
        self.assertEqual(triode.status(), {"installed": False})

    def test_another_handler_of_other_methods_composes(self):
        from torch._inductor import choices

        class Renaming(choices.InductorChoices):
            def uuid(self):
                return "renaming"

            def customize_fused_kernel_name(self, fused_name, src_code):
                return fused_name + "_renamed"

        choices.register_inductor_choices("renaming", Renaming)
        try:
            triode.install(top_k=2)
            source, _ = compile_layers()
        finally:
            choices.unregister_inductor_choices("renaming")
        self.assertIn("_renamed", source)
        self.assertEqual(triode.status()["counters"]["model_selections"], 3)

    def test_an_unexpected_error_keeps_all_choices(self):
        installed = triode.install(fallback=True)
        with mock.patch.object(installed.selection, "select", side_effect=OSError("broken")):
            with self.assertWarnsRegex(UserWarning, "keeps all choices of mm: OSError: broken"):
                _, timed = compile_layers()
        self.assertGreater(max(map(len, timed)), 15)
        self.assertGreater(triode.status()["counters"]["fallback_error"], 0)

    def test_graphs_compiled_by_another_model_or_option_are_not_reused(self):
        from torch._inductor.choices import inductor_choices_cache_key

        keys = {inductor_choices_cache_key(None)}
        for top_k in (1, 3):
            triode.install(top_k=top_k)
            keys.add(inductor_choices_cache_key(None))
        self.assertEqual(len(keys), 3)


class SinceHopper(InstallTest):
    """What is not on gpus before it."""

    def test_templates_by_tma_pass_through_and_are_counted(self):
        triode.install(top_k=1)
        f16 = dict(device="cuda", dtype=torch.float16)
        with config.patch({"triton.enable_persistent_tma_matmul": True}):
            _, (names,) = compile_layers(
                module=Product, operands=lambda: [torch.empty(2048, 1024, **f16), torch.empty(1024, 2048, **f16)]
            )
        by_tma = sum("persistent_tma" in name for name in names)
        self.assertGreater(by_tma, 1)
        counters = triode.status()["counters"]
        self.assertEqual(counters["templates_passed_through"], by_tma)
        self.assertEqual(counters["model_selections"], 1)

    def test_scaled_products_are_ranked(self):
        triode.install(top_k=2, threshold=100)
        f8 = dict(device="cuda", dtype=torch.float8_e4m3fn)

        def operands():
            a, b = torch.empty(512, 256, **f8), torch.empty(512, 256, **f8).t()
            return [a, b, *torch.empty(2, device="cuda")]

        _, (names,) = compile_layers(module=Float8, operands=operands)
        self.assertEqual(self.told_of("scaled_mm")["support"], "extrapolated")
        self.assertEqual(names.count("triton_mm"), 4)
        self.assertIn("_scaled_mm", names)


class Promoted(unittest.TestCase):
    """What was learned online and promoted is what Inductor gets."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.enterContext(mock.patch.dict(os.environ, TRIODE_CACHE=str(self.folder / "cache")))
        self.addCleanup(triode.uninstall)

    def promote(self, path):
        command = [os.environ["TRIODE_COMMAND"], "model", "promote", str(path), "--quiet"]
        subprocess.run(command, check=True, capture_output=True)

    def favourites(self):
        compile_layers()
        told = next(one for one in triode.explain() if one["op"] == "mm")
        return triode.Problem.parse(told["problem"]), [one["config"] for one in told["kept"]]

    def test_a_learned_snapshot_changes_inductors_choice(self):
        installed = triode.install(top_k=3, threshold=100)
        self.assertEqual(triode.status()["model_from"], "shipped")
        problem, before = self.favourites()
        with pretended_gpu(GPU) as properties:
            gpu = gpu_of(properties)
        timed = [(before[0], 1e-2), (before[1], 1e-4), (before[2], 1e-4)]
        ranker = installed.selection.ranker
        for _ in range(4):
            snapshot = ranker.learned(problem, gpu, timed)
            ranker = _triode.TemplateRanker.from_bytes(snapshot)
        path = self.folder / "learned.snapshot"
        path.write_bytes(snapshot)
        self.promote(path)
        triode.install(top_k=3, threshold=100)
        self.assertEqual(triode.status()["model_from"], "promoted")
        self.assertEqual(triode.status()["digest"], ranker.digest)
        self.assertNotEqual(self.favourites()[1][0], before[0])
        triode.install(top_k=3, threshold=100, model="gpu")
        self.assertEqual(self.favourites()[1], before)

    def test_what_inductor_timed_trains_a_model_as_the_guide_says(self):
        guide = (Path(os.environ["TRIODE_ROOT"]) / "docs/guide/torch-compile.md").read_text()
        (commands,) = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
        triode.install(top_k=8, threshold=100)
        compile_layers(lambda fields: 0.1 + fields["BLOCK_M"] / 1000 + fields["num_stages"] / 100)
        for command in commands.splitlines():
            words = command.split()[1:] + (["--members", "1", "--epochs", "2"] if "train" in command else [])
            done = subprocess.run(
                [os.environ["TRIODE_COMMAND"], *words, "--quiet"], capture_output=True, text=True, cwd=self.folder
            )
            self.assertEqual(done.returncode, 0, done.stderr)
        triode.install()
        self.assertEqual(triode.status()["model_from"], "promoted")

    def test_a_promoted_model_that_cannot_be_read_is_passed_over(self):
        store = self.folder / "cache" / "store"
        store.mkdir(parents=True)
        (store / "CURRENT").write_text("no cache")
        with self.assertWarnsRegex(UserWarning, "uses its shipped gpu model"):
            triode.install()
        self.assertEqual(triode.status()["model_from"], "shipped")


class Harmful:
    def __reduce__(self):
        return (os.system, ("touch harm_was_done",))


class Refusals(unittest.TestCase):
    def test_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            weights = {"model_state_dict": {"weight": torch.ones(2)}, "problem_feature_dim": 17}
            torch.save(weights, "diode.pt")
            self.assert_refused(ValueError, "checkpoint of torch of diode's.*triode train", model="diode.pt")
            torch.save({"model": Harmful()}, "harmful.pt")
            self.assert_refused(ValueError, "cannot be read as plain weights", model="harmful.pt")
            Path("nothing.pt").write_bytes(b"nothing")
            self.assert_refused(ValueError, "cannot be read as plain weights", model="nothing.pt")
            self.assertFalse(Path("harm_was_done").exists())

    def assert_refused(self, error, text, **options):
        with self.assertRaisesRegex(error, text):
            triode.install(**options)
        self.assertEqual(triode.status(), {"installed": False})

    def test_wrong_options(self):
        self.assert_refused(ValueError, "top_k is 0", top_k=0)
        self.assert_refused(ValueError, "top_k is True", top_k=True)
        self.assert_refused(ValueError, "threshold is 0.9", threshold=0.9)
        self.assert_refused(ValueError, "threshold is nan", threshold=float("nan"))

    def test_wrong_models(self):
        self.assert_refused(FileNotFoundError, "no model 'nosuch'.*gpu", model="nosuch")
        with tempfile.NamedTemporaryFile(suffix=".snapshot") as file:
            file.write(b"no snapshot at all")
            file.flush()
            self.assert_refused((RuntimeError, ValueError), "snapshot", model=file.name)

    def test_a_torch_with_another_hook(self):
        from torch._inductor import choices

        with mock.patch.object(choices.InductorChoices, "_finalize_template_configs", lambda self, one: None):
            self.assert_refused(RuntimeError, "has no choices hook")

    def test_what_the_documents_show_installs(self):
        for document in ("README.md", "docs/guide/torch-compile.md"):
            text = (Path(os.environ["TRIODE_ROOT"]) / document).read_text()
            (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
            try:
                exec(block, {"model": torch.nn.Linear(8, 8)})
                self.assertEqual(triode.status()["model"], "gpu", document)
            finally:
                triode.release()
                triode.uninstall()

    def test_importing_triode_imports_no_torch(self):
        said = subprocess.run(
            [sys.executable, "-c", "import sys, triode; print('torch' in sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(said.stdout.strip(), "False")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ("A100", "H100", "B200"):
        GPU = sys.argv.pop(1)
    unittest.main()
