# SPDX-License-Identifier: Apache-2.0
"""What is kept of Inductor's timings and learned from them, without torch: stand-ins offer what its objects offer."""

import unittest
from types import SimpleNamespace
from unittest import mock

from selection_test import Inputs, selection, templates
from triode._feedback import Benchmarks, Feedback


class Selector:
    """As much of Inductor's selector as is watched."""

    def autotune(self, timings):
        return timings


class Timings(dict):
    """By choice; stand-ins are told apart by identity."""

    def __init__(self, choices, times):
        super().__init__({id(one): time for one, time in zip(choices, times)})
        self._choices = choices

    def items(self):
        return [(one, self[id(one)]) for one in self._choices]


class FeedbackTest(unittest.TestCase):
    def setUp(self):
        self.kept = []
        self.enterContext(mock.patch("triode._feedback.leave_timings", lambda **told: self.kept.append(told)))
        self.selection = selection(top_k=4, threshold=100)
        self.selector = Selector()
        self.feedback = Feedback(self.selection, None, Benchmarks(self.selector), "torch", "")

    def tell(self, offered, inputs, op_name, times):
        """As Inductor times choices and hands over the times."""
        for one in offered:
            one.inputs = inputs
        choices = [SimpleNamespace(annotations={"ktc": one}) for one in offered]
        timings = self.selector.autotune(Timings(choices, times))
        self.feedback(timings, op_name, [], choices, None, {})

    def tell_of(self, inputs, op_name, uid="triton::mm"):
        self.tell(templates(uid)[:2], inputs, op_name, [1.0, 2.0])

    def problems(self):
        return [str(told["problem"]) for told in self.kept]

    def assert_not_kept(self, reason):
        self.assertEqual(self.kept, [])
        self.assertEqual(self.selection.counters(), {f"feedback_not_kept_{reason}": 2})


class Kept(FeedbackTest):
    def test_a_plain_matmul(self):
        self.tell_of(Inputs(64, 48, 32), "mm")
        self.assertEqual(self.problems(), ["mm f16 64x48x32 nn"])
        self.assertEqual([ms for _, ms in self.kept[0]["rows"]], [1.0, 2.0])

    def test_a_bias_for_each_column(self):
        self.tell_of(Inputs(64, 48, 32, bias=True), "addmm")
        self.assertEqual(self.problems(), ["addmm f16 64x48x32 nn epilogue=bias"])

    def test_batches_keep_their_distance_and_their_op(self):
        dense = dict(a_strides=(64 * 32, 32, 1), b_strides=(32 * 48, 48, 1))
        self.tell_of(Inputs(64, 48, 32, batch=4, **dense), "bmm")
        self.tell_of(Inputs(64, 48, 32, batch=4, **{**dense, "b_strides": (0, 48, 1)}), "bmm")
        self.tell_of(Inputs(64, 48, 32, batch=1, **dense), "bmm")
        self.assertEqual(
            self.problems(),
            [
                "bmm f16 4x64x48x32 nn",
                "bmm f16 4x64x48x32 nn strides=2048,0,3072",
                "bmm f16 1x64x48x32 nn",
            ],
        )


class Errors(FeedbackTest):
    """The threshold widens by how much slower the model's favourite was than the best."""

    def test_an_order_of_the_models_teaches(self):
        inputs = Inputs(1024, 1024, 1024)
        kept = self.selection.select(templates(), inputs, "mm")
        self.tell(kept, inputs, "mm", [2.0, *([1.0] * (len(kept) - 1))])
        self.assertAlmostEqual(self.selection.threshold_now(), 200)

    def test_an_order_of_inductors_teaches_nothing(self):
        inputs = Inputs(1024, 1024, 1024, dtype="torch.complex64")
        kept = self.selection.select(templates(), inputs, "mm")
        self.assertEqual(self.selection.counters()["fallback_unsupported"], 1)
        self.tell(kept, inputs, "mm", [2.0, *([1.0] * (len(kept) - 1))])
        self.assertEqual(self.selection.threshold_now(), 100)


class NotKept(FeedbackTest):
    """What only the key of another matmul would name."""

    def test_two_products_into_one(self):
        self.tell_of(Inputs(64, 48, 32), "mm_plus_mm", "triton::mm_plus_mm")
        self.assert_not_kept("mm_plus_mm")

    def test_a_sum_with_a_batch(self):
        self.tell_of(Inputs(64, 48, 32, batch=4, bias=True), "baddbmm", "triton::bmm")
        self.assert_not_kept("baddbmm")

    def test_a_scaled_sum(self):
        self.tell_of(Inputs(64, 48, 32, bias=True, scalars={"alpha": 1, "beta": 0.5}), "addmm")
        self.assert_not_kept("scalars")

    def test_a_sum_with_a_matrix(self):
        self.tell_of(Inputs(64, 48, 32, bias=True, bias_strides=(48, 1)), "addmm")
        self.assert_not_kept("addend")

    def test_a_result_of_another_type(self):
        self.tell_of(Inputs(64, 48, 32, out_dtype="torch.float32"), "mm")
        self.assert_not_kept("result_type")

    def test_a_gpu_without_words(self):
        self.selection.gpu_of_device = mock.Mock(side_effect=NotImplementedError("no such gpu"))
        self.tell_of(Inputs(64, 48, 32), "mm")
        self.assertEqual(self.selection.counters(), {"feedback_unsupported": 1})

    def test_what_was_not_measured(self):
        offered = templates()[:1]
        made = SimpleNamespace(annotations={"ktc": offered[0]})
        self.feedback(Timings([made], [1.0]), "mm", [], [made], None)
        self.assertEqual(self.selection.counters(), {"timings_from_inductors_cache": 1})
        self.assertEqual(self.kept, [])


if __name__ == "__main__":
    unittest.main()
