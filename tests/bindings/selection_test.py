# SPDX-License-Identifier: Apache-2.0
"""What is kept of a matmul's choices, without torch: stand-ins offer what Inductor's objects offer."""

import contextlib
import tempfile
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from triode import _triode
from triode._models import find_model, load_ranker, shipped_models
from triode._own_candidates import all_configs, beyond, make_choice
from triode._selection import Options, Selection
from triode._template_problem import CONFIG_FIELDS, Untold, in_sixteen_bits, problem_of

A100 = _triode.Gpu(
    name="NVIDIA A100-SXM4-40GB",
    capability=(8, 0),
    multiprocessors=108,
    smem_per_multiprocessor_bytes=167936,
    smem_per_block_bytes=166912,
    l2_bytes=41943040,
)
TILES = [
    (16, 16, 16),
    (32, 32, 32),
    (64, 64, 32),
    (64, 128, 32),
    (128, 64, 32),
    (128, 128, 32),
    (128, 128, 64),
]


class Params:
    def __init__(self, fields):
        self._fields = fields

    def to_kwargs(self):
        return dict(self._fields)


class Choice:
    def __init__(self, template, params, extra_kwargs, layout, inputs):
        self.template, self.params, self.extra_kwargs = template, params, extra_kwargs
        self.layout, self.inputs = layout, inputs


def choice(uid, extra=None, **fields):
    return Choice(SimpleNamespace(uid=uid), Params(fields), extra or {}, "layout", "inputs")


def templates(uid="triton::mm", extra=None):
    return [
        choice(
            uid,
            extra,
            BLOCK_M=m,
            BLOCK_N=n,
            BLOCK_K=k,
            GROUP_M=8,
            num_stages=stages,
            num_warps=4,
            EVEN_K=False,
        )
        for m, n, k in TILES
        for stages in (2, 3, 4)
    ]


VENDOR = choice("aten::mm")


class Inputs:
    """Of an op with operands a and b; a bias before them if there is one."""

    def __init__(
        self,
        m,
        n,
        k,
        dtype="torch.float16",
        batch=1,
        a_strides=None,
        b_strides=None,
        bias=False,
        varies=(),
        bias_strides=(0, 1),
        scalars=None,
        out_dtype=None,
    ):
        symbols = {name: object() for name in varies}
        sizes = dict(zip("mnkb", (m, n, k, batch))) | symbols
        stacks = [sizes["b"]] if batch > 1 or "b" in varies else []
        node = SimpleNamespace(get_dtype=lambda: dtype, get_size=lambda: [*stacks, sizes["m"], sizes["k"]])
        other = SimpleNamespace(get_dtype=lambda: dtype, get_size=lambda: [*stacks, sizes["k"], sizes["n"]])
        self._matrices = (node, other)
        self._nodes = ([SimpleNamespace(get_dtype=lambda: "torch.float32")] if bias else []) + [node, other]
        strides = [bias_strides] if bias else []
        self._strides = tuple(strides) + (a_strides or (k, 1), b_strides or (n, 1))
        self._mnk, self._batch = (m, n, k), batch
        self._scalars, self._out_dtype = scalars or {"alpha": 1, "beta": 1}, out_dtype or dtype
        self._symbols = tuple(sizes[name] for name in "mnk")

    def mnk_hinted(self):
        return self._mnk

    def mnk_symbolic(self):
        return self._symbols

    def batch_hinted(self):
        return self._batch

    def mat1mat2(self):
        return self._matrices

    def nodes(self):
        return self._nodes

    def strides_hinted(self):
        return self._strides

    def get_scalar(self, name):
        return self._scalars[name]

    def out_dtype(self):
        return self._out_dtype

    def device(self):
        return "cuda:0"


def selection(**options):
    ranker = _triode.TemplateRanker(str(find_model("gpu")))
    return Selection(ranker, Options(**options), lambda device: A100)


class Select(unittest.TestCase):
    def test_keeps_the_vendor_and_the_best_untouched(self):
        offered = [VENDOR, *templates()]
        kept = selection(top_k=3).select(offered, Inputs(1024, 1024, 1000), "mm")
        self.assertIs(kept[0], VENDOR)
        self.assertTrue(2 <= len(kept) <= 4)
        self.assertTrue(all(any(one is other for other in offered) for one in kept))

    def test_threshold_of_one_keeps_the_best_alone(self):
        kept = selection(top_k=8, threshold=1).select([VENDOR, *templates()], Inputs(1024, 1024, 1024), "mm")
        self.assertEqual(len(kept), 2)

    def test_templates_it_was_not_trained_on_pass_through(self):
        tma = choice(
            "triton::mm_persistent_tma", BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_stages=3, num_warps=8
        )
        split = choice("decompose_k", k_split=4)
        chosen = selection(top_k=1)
        kept = chosen.select([VENDOR, tma, split, *templates()], Inputs(1024, 1024, 1024), "mm")
        for one in (VENDOR, tma, split):
            self.assertTrue(any(one is other for other in kept))
        self.assertEqual(chosen.counters()["templates_passed_through"], 2)

    def test_types_and_strides_it_does_not_know_keep_everything(self):
        offered = [VENDOR, *templates()]
        for inputs in (
            Inputs(64, 64, 64, dtype="torch.float64"),
            Inputs(64, 64, 64, dtype="torch.complex64"),
            Inputs(64, 64, 64, a_strides=(128, 2)),
        ):
            chosen = selection()
            self.assertEqual(chosen.select(offered, inputs, "mm"), offered)
            self.assertEqual(chosen.counters()["fallback_unsupported"], 1)
            self.assertEqual(chosen.explanations()[0].support, "unknown")

    def test_partial_lists_are_taken(self):
        chosen = selection()
        self.assertEqual(chosen.select([], Inputs(64, 64, 64), "addmm"), [])
        self.assertEqual(chosen.select([VENDOR], Inputs(64, 64, 64), "addmm"), [VENDOR])
        self.assertEqual(chosen.counters()["fallback_nothing_to_rank"], 2)

    def test_an_op_in_several_calls_keeps_templates_where_one_was_asked_for(self):
        kept = selection(top_k=1, threshold=100).select(
            templates(), Inputs(512, 512, 512, bias=True), "addmm"
        )
        self.assertEqual(len(kept), 2)  # extrapolated: twice as many

    def test_one_choice_is_the_models(self):
        chosen = selection(top_k=1)
        kept = chosen.select([VENDOR, *templates()], Inputs(1024, 1024, 1024), "mm")
        self.assertEqual(len(kept), 1)
        told = chosen.explanations()[0]
        self.assertEqual(told.alone, "vendor" if kept[0] is VENDOR else "ours")
        self.assertEqual(told.alone == "vendor", told.vendor_us < told.best_us)

    def test_a_size_that_varies_is_looked_at_in_several(self):
        fixed, varying = selection(top_k=2), selection(top_k=2)
        fixed.select(templates(), Inputs(96, 1024, 1024), "mm")
        kept = varying.select(templates(), Inputs(96, 1024, 1024, varies="m"), "mm")
        self.assertTrue(1 <= len(kept) <= 2)
        self.assertEqual(varying.explanations()[0].problem, fixed.explanations()[0].problem)

    def test_a_batch_that_varies_is_looked_at_in_several(self):
        chosen = selection(top_k=2)
        with mock.patch.object(chosen, "ranker", wraps=chosen.ranker) as ranker:
            chosen.select(templates("triton::bmm"), Inputs(96, 64, 64, batch=4, varies="b"), "bmm")
        asked = {str(call.args[0]).split()[2] for call in ranker.rank.call_args_list}
        self.assertEqual(asked, {"2x96x64x64", "4x96x64x64", "8x96x64x64"})

    def test_eight_bits_are_ranked_as_sixteen_of_half_the_depth(self):
        chosen, other = selection(top_k=2, threshold=100), selection(top_k=4, threshold=100)
        eight = chosen.select([VENDOR, *templates()], Inputs(512, 512, 1024, dtype="torch.int8"), "int_mm")
        halved = [
            choice("triton::mm", **{**one.params.to_kwargs(), "BLOCK_K": one.params.to_kwargs()["BLOCK_K"] // 2})
            for one in templates()
        ]
        sixteen = other.select([VENDOR, *halved], Inputs(512, 512, 512), "mm")

        def told(kept):
            return [one.params.to_kwargs() for one in kept[1:]]

        self.assertEqual(len(eight), 5)  # twice as many
        self.assertEqual([{**one, "BLOCK_K": one["BLOCK_K"] // 2} for one in told(eight)], told(sixteen))
        (explained,) = chosen.explanations()
        self.assertEqual(explained.support, "extrapolated")
        self.assertIn("mm i8 512x512x1024", explained.problem)
        self.assertEqual(explained.kept[0]["config"][2], told(eight)[0]["BLOCK_K"])

    def test_a_problem_is_ranked_once_though_the_threshold_moves(self):
        chosen = selection(top_k=8, threshold=1.05)
        counts = []
        for off in (1.0, 1.7, 2.5):
            counts.append(len(chosen.select(templates(), Inputs(1024, 1024, 1024), "mm")))
            chosen.note_timings(off, 1.0)
        self.assertEqual(chosen.counters()["ranking_cache_hits"], 2)
        self.assertLess(counts[0], counts[2])
        (told,) = chosen.explanations()
        self.assertEqual(len(told.kept), counts[2])

    def test_other_configs_are_ranked_anew(self):
        chosen = selection()
        for offered in (templates(), templates()[3:], templates()):
            chosen.select(offered, Inputs(1024, 1024, 1024), "mm")
        self.assertEqual(chosen.counters()["ranking_cache_hits"], 1)

    def test_counts_are_exact_on_several_threads(self):
        chosen = selection()
        threads = [
            threading.Thread(
                target=lambda size=size: chosen.select(templates(), Inputs(size, 256, 256), "mm")
            )
            for size in (64, 128, 256, 512)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(chosen.counters()["model_selections"], 4)


class Problems(unittest.TestCase):
    def text(self, inputs, op="mm", extra=None):
        return str(problem_of(inputs, op, templates(extra=extra)[0]))

    def test_transposes_and_leading_dimensions_come_from_strides(self):
        self.assertEqual(
            self.text(Inputs(64, 32, 16, a_strides=(1, 80), b_strides=(1, 16))),
            "mm f16 64x32x16 tt ld=80,16,32",
        )

    def test_tf32_is_told_from_f32_by_what_the_template_may_do(self):
        f32 = Inputs(64, 64, 64, dtype="torch.float32")
        self.assertEqual(self.text(f32), "mm f32 64x64x64 nn ld-aligned")
        self.assertEqual(self.text(f32, extra={"ALLOW_TF32": True}), "mm tf32 64x64x64 nn ld-aligned")
        self.assertEqual(self.text(f32, extra={"ALLOW_TF32": "True"}), "mm tf32 64x64x64 nn ld-aligned")

    def test_half_the_depth_in_sixteen_bits_is_as_many_bytes(self):
        for text, wanted in (
            ("mm i8 64x32x48 nt", "mm f16 64x32x24 nt"),
            ("mm f8e4m3 64x32x49 tn ld=80,40,33", "mm f16 64x32x25 tn ld=80,40,33"),
            ("bmm i8 3x64x32x48 nn", "bmm f16 3x64x32x24 nn"),
            ("mm i8 64x32x1 nn", "mm f16 64x32x1 nn"),
        ):
            self.assertEqual(str(in_sixteen_bits(_triode.Problem.parse(text))), wanted)

    def test_type_of_the_bias_is_not_taken_for_that_of_the_matrices(self):
        self.assertIn("addmm f16", self.text(Inputs(64, 64, 64, bias=True), "addmm"))

    def test_a_vector_has_the_strides_it_has(self):
        self.assertEqual(self.text(Inputs(1, 64, 64, a_strides=(1, 1))), "mm f16 1x64x64 nn ld-aligned")

    def test_two_products_into_one_have_twice_the_depth(self):
        self.assertIn("64x64x128", self.text(Inputs(64, 64, 64), "mm_plus_mm"))

    def test_operands_of_two_types_are_refused(self):
        inputs = Inputs(64, 64, 64)
        inputs.mat1mat2 = lambda: (
            SimpleNamespace(get_dtype=lambda: "a"),
            SimpleNamespace(get_dtype=lambda: "b"),
        )
        with self.assertRaisesRegex(Untold, "two types"):
            problem_of(inputs, "mm", templates()[0])


class OwnCandidates(unittest.TestCase):
    def kept_of(self, k, **options):
        chosen = selection(top_k=8, threshold=100, **options)
        offered = templates(extra={"ALLOW_TF32": True})[:2]
        kept = chosen.select([VENDOR, *offered], Inputs(4096, 4096, k), "mm")
        return [one for one in kept[1:] if not any(one is other for other in offered)], chosen

    def test_none_join_unless_asked_for(self):
        self.assertEqual(self.kept_of(1000)[0], [])

    def test_those_that_the_model_prefers_join(self):
        kept, chosen = self.kept_of(1024, own_candidates=True)
        self.assertGreater(len(kept), 4)
        self.assertEqual(chosen.counters()["own_candidates_kept"], len(kept))
        listed = {tuple(one.params.to_kwargs()[name] for name in CONFIG_FIELDS) for one in templates()[:2]}
        added = {tuple(one.params.to_kwargs()[name] for name in CONFIG_FIELDS) for one in kept}
        self.assertFalse(listed & added)
        self.assertNotEqual(chosen.uuid(), selection(top_k=8, threshold=100).uuid())

    def test_what_the_problem_decides_follows_the_problem(self):
        for k in (1000, 1024):
            for one in self.kept_of(k, own_candidates=True)[0]:
                fields = one.params.to_kwargs()
                self.assertEqual(fields["EVEN_K"], k % fields["BLOCK_K"] == 0)
                self.assertEqual(one.extra_kwargs, {"ALLOW_TF32": True})
                self.assertEqual((one.layout, one.inputs), ("layout", "inputs"))

    def test_a_depth_that_varies_is_never_even(self):
        made = make_choice(templates()[0], (64, 64, 32, 4, 3, 4), Inputs(64, 64, 1024, varies="k"))
        self.assertIs(made.params.to_kwargs()["EVEN_K"], False)

    def test_ops_of_another_loop_get_none(self):
        self.assertEqual(beyond([], "mm_plus_mm"), [])
        self.assertEqual(len(beyond([(64, 64, 32, 8, 3, 4)], "mm")), len(all_configs()) - 1)


class Learning(unittest.TestCase):
    def test_timings_change_what_is_preferred(self):
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        problem = _triode.Problem.parse("mm f16 2048x2048x2048 nn")
        configs = [(64, 64, 32, 8, 3, 4), (128, 128, 32, 8, 3, 4), (128, 64, 64, 8, 4, 4)]
        before = ranker.rank(problem, A100, configs, 1, 1).picks[0].index
        timed = [(config, 1e-3 if index == before else 2e-4) for index, config in enumerate(configs)]
        for _ in range(4):
            ranker = _triode.TemplateRanker.from_bytes(ranker.learned(problem, A100, timed))
        self.assertNotEqual(ranker.rank(problem, A100, configs, 1, 1).picks[0].index, before)

    def test_wrong_bytes_and_configs_are_refused(self):
        with self.assertRaisesRegex((ValueError, RuntimeError), "snapshot"):
            _triode.TemplateRanker.from_bytes(b"nothing")
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        problem = _triode.Problem.parse("mm f16 64x64x64 nn")
        with self.assertRaisesRegex(ValueError, "block_m is 0"):
            ranker.learned(problem, A100, [((0, 64, 32, 8, 3, 4), 1e-3)])
        with self.assertRaisesRegex(ValueError, "is for a cpu"):
            _triode.TemplateRanker(str(find_model("cpu-x86")))


class Ranker(unittest.TestCase):
    def test_models_are_shipped(self):
        self.assertIn("gpu", shipped_models())

    def test_a_file_in_the_working_directory_is_no_shipped_model(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name in ("gpu", "mine", "mine.snapshot"):
                Path(name).write_bytes(b"no model")
            self.assertNotEqual(find_model("gpu").read_bytes(), b"no model")
            self.assertEqual(load_ranker("gpu", folder)[1], "shipped")
            for path in ("./gpu", "mine.snapshot", f"{folder}/mine"):
                self.assertEqual(find_model(path).read_bytes(), b"no model")
            with self.assertRaisesRegex(FileNotFoundError, "no model 'mine'.*the file here is './mine'"):
                find_model("mine")

    def test_a_name_with_a_path_in_it_is_no_shipped_model(self):
        with self.assertRaises(FileNotFoundError):
            find_model("../models/gpu")

    def test_wrong_configs_and_gpus_are_refused(self):
        ranker = _triode.TemplateRanker(str(find_model("gpu")))
        problem = _triode.Problem.parse("mm f16 64x64x64 nn")
        with self.assertRaisesRegex(ValueError, "num_warps is 0"):
            ranker.rank(problem, A100, [(64, 64, 32, 8, 3, 0)], 1, 1)
        with self.assertRaisesRegex(NotImplementedError, "compute capability 6.1"):
            _triode.Gpu(
                name="GTX",
                capability=(6, 1),
                multiprocessors=20,
                smem_per_multiprocessor_bytes=98304,
                smem_per_block_bytes=49152,
                l2_bytes=2097152,
            )
        with self.assertRaisesRegex(ValueError, "lack a size"):
            _triode.Gpu(
                name="new",
                capability=(9, 0),
                multiprocessors=0,
                smem_per_multiprocessor_bytes=1,
                smem_per_block_bytes=1,
                l2_bytes=1,
            )
        self.assertEqual(ranker.rank(problem, A100, [], 3, 3).picks, [])


if __name__ == "__main__":
    unittest.main()
