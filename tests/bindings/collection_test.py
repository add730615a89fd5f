# SPDX-License-Identifier: Apache-2.0
"""Which matmuls are collected, what is kept of Inductor's timings, and what a stopped collection leaves: without
torch, stand-ins offer what Inductor's objects offer."""

import io
import math
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from triode import MatmulCollector
from triode.collection import LogNormal, Planned, ShapeOptions, chunks, matmul_collector, planned_shapes, shapes_of_set
from triode.collection.chunks import ChunkedDataset
from triode.collection.progress import Progress, clock_text
from triode.collection.shapes import VALIDATION, group_of
from triode.types import Dataset, MMShape, OperationShapeSet, TimedConfig, TritonGEMMConfig, read_file, write_file


class Shapes(unittest.TestCase):
    def sizes(self, **options):
        return [(one.shape.M, one.shape.N, one.shape.K) for one in planned_shapes(ShapeOptions(**options))]

    def test_same_seed_same_shapes(self):
        self.assertEqual(self.sizes(seed=7), self.sizes(seed=7))
        self.assertNotEqual(self.sizes(seed=7), self.sizes(seed=8))

    def test_bounds_and_no_repeats(self):
        sizes = self.sizes(num_shapes=200, min_size=30, max_size=60)
        self.assertEqual(len(set(sizes)), 200)
        self.assertTrue(all(30 <= one <= 60 for size in sizes for one in size))
        self.assertTrue(any(one % 2 for size in sizes for one in size))

    def test_powers_of_two(self):
        sizes = self.sizes(num_shapes=20, min_size=30, max_size=300, power_of_two=True)
        self.assertLessEqual({one for size in sizes for one in size}, {32, 64, 128, 256})

    def test_squares_and_even_sizes_alone(self):
        self.assertTrue(all(len(set(size)) == 1 for size in self.sizes(rectangular=False, num_shapes=20)))
        self.assertTrue(all(one % 2 == 0 for size in self.sizes(odd_sizes=False) for one in size))

    def test_log_normal(self):
        sizes = self.sizes(num_shapes=2000, log_normal=LogNormal(), min_size=None, max_size=None)
        self.assertTrue(all(one >= 8 and one % 8 == 0 for size in sizes for one in size))
        for place, mean in ((0, 6.57), (1, 5.91), (2, 6.20)):
            found = sum(math.log(size[place]) for size in sizes) / len(sizes)
            self.assertAlmostEqual(found, mean, delta=0.35)
        bounded = self.sizes(num_shapes=50, log_normal=LogNormal(), min_size=64, max_size=512)
        self.assertTrue(all(64 <= one <= 512 for size in bounded for one in size))

    def test_validation_is_no_training_under_the_same_seed(self):
        training = self.sizes(seed=42)
        self.assertFalse(set(training) & set(self.sizes(seed=42, purpose=VALIDATION)))

    def test_excluded_groups_do_not_come_up(self):
        seen = frozenset(tuple(sorted(size)) for size in self.sizes(num_shapes=20, max_size=34, min_size=32))
        others = self.sizes(num_shapes=3, max_size=35, min_size=32, seed=1, exclude=seen)
        self.assertFalse(seen & {tuple(sorted(size)) for size in others})

    def test_ranges_that_hold_too_little_are_refused(self):
        for options, reason in (
            (dict(min_size=8, max_size=8, num_shapes=2), "only 1 of 2 different sizes"),
            (dict(min_size=9, max_size=8), "there are none"),
            (dict(min_size=33, max_size=63, power_of_two=True), "no power of two"),
            (dict(min_size=33, max_size=33, odd_sizes=False), "no even size"),
            (dict(num_shapes=0), "at least one shape"),
            (dict(operations=("conv",)), "mm, addmm, bmm, not conv"),
        ):
            with self.assertRaisesRegex(ValueError, reason):
                self.sizes(**options)

    def test_a_set_keeps_operations_types_and_batches(self):
        shapes = OperationShapeSet()
        bmm = MMShape.plain(8, 16, 24, "bfloat16", batch=12)
        shapes.add_shape("bmm", bmm)
        shapes.add_shape("bmm", bmm)
        shapes.add_shape("mm", MMShape.plain(1, 2, 3, "float16"))
        self.assertEqual(shapes_of_set(shapes, ["bmm", "addmm"]), [Planned("bmm", bmm)])
        with self.assertRaisesRegex(ValueError, "has bmm, mm, none of addmm"):
            shapes_of_set(shapes, ["addmm"])

    def test_groups(self):
        self.assertEqual(group_of(MMShape.plain(3, 1, 2, "float16")), (1, 2, 3))


def template(tile=(64, 32, 16), **fields):
    m, n, k = tile
    told = dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, num_stages=3, num_warps=4, EVEN_K=True) | fields
    return told


def choice(inputs, fields, name="triton_mm_7", stride=(48, 1)):
    ktc = SimpleNamespace(
        inputs=inputs,
        params=SimpleNamespace(to_kwargs=lambda: fields),
        extra_kwargs={"ALLOW_TF32": "True"},
        layout=SimpleNamespace(stride=stride),
    )
    return SimpleNamespace(annotations={"ktc": ktc}, name=name)


def matmul_inputs(device="cuda", batch=1):
    operand = SimpleNamespace(get_dtype=lambda: "torch.float16")
    return SimpleNamespace(
        mnk_hinted=lambda: (32, 48, 64),
        batch_hinted=lambda: batch,
        mat1mat2=lambda: (operand, operand),
        out_dtype=lambda: "torch.float16",
        device=lambda: SimpleNamespace(type=device),
    )


class Inductor:
    """As much of select_algorithm as a collector uses."""

    def __init__(self):
        self.feedback_saver_fns = []
        self.add_feedback_saver = self.feedback_saver_fns.append

    def get_algorithm_selector_cache(self):
        return self

    def time(self, name, timings, arguments=6, nodes=()):
        given = (timings, name, list(nodes), list(timings), lambda: {}, {})
        for saver in self.feedback_saver_fns:
            saver(*given[:arguments])


class Timings(dict):
    """By choice, which stand-ins are not hashable for."""

    def __init__(self, *pairs):
        super().__init__()
        self._pairs = pairs

    def items(self):
        return self._pairs


class Collector(unittest.TestCase):
    def setUp(self):
        self.inductor = Inductor()
        self.enterContext(mock.patch.object(matmul_collector, "_select_algorithm", lambda: self.inductor))
        self.collector = MatmulCollector("a gpu")
        self.shape = MMShape.plain(32, 48, 64, "float16")

    def test_five_and_six_arguments(self):
        with self.collector:
            for arguments in (5, 6):
                self.inductor.time("mm", Timings((choice(matmul_inputs(), template()), 0.25)), arguments)
        (first, second) = self.collector.get_dataset().timings()
        self.assertEqual(first, second)
        self.assertEqual((first.hardware, first.operation, first.shape, first.time), ("a gpu", "mm", self.shape, 0.25))
        self.assertEqual(first.config.tile(), (64, 32, 16, 8, 3, 4))
        self.assertTrue(first.config.EVEN_K and first.config.ALLOW_TF32)
        self.assertEqual(self.collector.unread, 0)

    def test_bmm_keeps_its_batch(self):
        with self.collector:
            timed = choice(matmul_inputs(batch=5), template(), stride=(1536, 48, 1))
            self.inductor.time("bmm", Timings((timed, 1.0)))
        (row,) = self.collector.get_dataset().timings()
        self.assertEqual(row.shape, MMShape.plain(32, 48, 64, "float16", batch=5))

    def test_padded_and_transposed_results(self):
        with self.collector:
            for stride in ((64, 1), (1, 32)):
                timed = choice(matmul_inputs(), template(), stride=stride)
                self.inductor.time("mm", Timings((timed, 1.0)))
        strides = [row.shape.out_stride for row in self.collector.get_dataset().timings()]
        self.assertEqual(strides, [(2048, 64, 1), (1536, 1, 32)])

    def test_what_did_not_run_is_counted_and_not_kept(self):
        with self.collector:
            timings = Timings(
                (choice(matmul_inputs(), template()), math.inf), (choice(matmul_inputs(), template()), 2.0)
            )
            self.inductor.time("mm", timings)
        self.assertEqual(self.collector.failed, 1)
        self.assertEqual([row.time for row in self.collector.get_dataset().timings()], [2.0])

    def test_vendor_kernels_are_kept_on_a_cpu_alone_unless_asked_for(self):
        vendor = lambda device: Timings((choice(matmul_inputs(device), {}, name="mm_3"), 1.0))
        for others, device, count in ((None, "cuda", 0), (None, "cpu", 1), (True, "cuda", 1), (False, "cpu", 0)):
            collector = MatmulCollector("it", others)
            with collector:
                self.inductor.time("mm", vendor(device))
            rows = list(collector.get_dataset().timings())
            self.assertEqual(len(rows), count, (others, device))
            self.assertTrue(all((row.config.name, row.config.block_m) == ("mm", 0) for row in rows))

    def test_packed_linear_is_an_mm(self):
        def node(*sizes):
            device = SimpleNamespace(type="cpu")
            return SimpleNamespace(
                get_size=lambda: sizes, get_dtype=lambda: "torch.float32", get_device=lambda: device
            )

        kernel = SimpleNamespace(annotations={}, name="cpp_CppMicroGemmFP32Vec_0")
        with self.collector:
            self.inductor.time("packed_linear", Timings((kernel, 0.5)), nodes=[node(7, 5), node(99, 1), node(3, 5)])
        (row,) = self.collector.get_dataset().timings()
        self.assertEqual((row.operation, row.shape), ("mm", MMShape.plain(7, 3, 5, "float32")))
        self.assertEqual(row.config.name, "cpp_CppMicroGemmFP32Vec")

    def test_other_ops_are_passed_over_and_unreadable_ones_told(self):
        with self.collector:
            self.inductor.time("conv", Timings())
            with self.assertWarnsRegex(UserWarning, "could not collect the timings of mm"):
                self.inductor.time("mm", Timings((SimpleNamespace(annotations={}, name="x"), 1.0)), nodes=[object()])
        self.assertEqual(self.collector.unread, 1)
        self.assertEqual(list(self.collector.get_dataset().timings()), [])

    def test_stopping_leaves_other_savers(self):
        other = mock.Mock()
        self.inductor.add_feedback_saver(other)
        with self.collector:
            self.assertTrue(self.collector.is_collecting)
        self.assertEqual(self.inductor.feedback_saver_fns, [other])
        with self.assertRaisesRegex(RuntimeError, "was not started"):
            self.collector.stop_collection()
        with self.collector, self.assertRaisesRegex(RuntimeError, "has started already"):
            self.collector.start_collection()

    def test_files(self):
        with self.collector:
            for time, stages in ((2.0, 2), (1.0, 3)):
                self.inductor.time("mm", Timings((choice(matmul_inputs(), template(num_stages=stages)), time)))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("data.json", "data.msgpack"):
                path = Path(folder) / name
                self.collector.save_to_file(path)
                loaded = MatmulCollector()
                loaded.load_from_file(path)
                self.assertEqual(loaded.get_dataset(), self.collector.get_dataset())
            self.collector.save_table_to_file(path)
            with self.assertRaisesRegex(ValueError, "is a Table, where a Dataset is expected"):
                loaded.load_from_file(path)
        configs = self.collector.get_table().lookup("a gpu", "mm", self.shape)
        self.assertEqual([config.num_stages for config in configs], [3, 2])


class Chunks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "data.json"
        self.planned = [Planned("mm", MMShape.plain(m, 8, 8, "float16")) for m in range(1, 6)]
        tile = dict(block_m=16, block_n=16, block_k=16, group_m=8, num_stages=1, num_warps=1)
        self.timed = [TimedConfig(config=TritonGEMMConfig(name="mm_config", grid=1, **tile), time=1.0)]

    def files(self):
        return sorted(os.listdir(self.path.parent))

    def test_one_file_goes_on_where_it_was(self):
        first = ChunkedDataset(self.path)
        for planned in self.planned[:2]:
            first.add("gpu", planned, self.timed)
        again = ChunkedDataset(self.path)
        self.assertEqual(again.missing(self.planned), self.planned[2:])
        again.add("gpu", self.planned[2], [])
        self.assertEqual(ChunkedDataset(self.path).missing(self.planned), self.planned[3:])
        self.assertEqual(self.files(), ["data.json"])
        self.assertEqual(len(list(read_file(self.path, Dataset).timings())), 2)

    def test_chunks_are_filled_and_continued(self):
        for stop in (1, 4, 5):
            data = ChunkedDataset(self.path, 2)
            for planned in data.missing(self.planned[:stop]):
                data.add("gpu", planned, self.timed)
        self.assertEqual(self.files(), ["data_1.json", "data_2.json", "data_3.json"])
        counts = [len(list(read_file(file, Dataset).solutions())) for file in data.files()]
        self.assertEqual(counts, [2, 2, 1])
        self.assertEqual(ChunkedDataset(self.path, 2).missing(self.planned), [])

    def many(self, count):
        return [Planned("mm", MMShape.plain(m, 8, 8, "float16")) for m in range(1, count + 1)]

    def test_what_is_written_grows_with_what_is_collected(self):
        written = []

        def write(path, dataset):
            written.append(sum(1 for _ in dataset.solutions()))
            write_file(path, dataset)

        data = ChunkedDataset(self.path)
        with mock.patch.object(chunks, "write_file", write):
            for planned in self.many(400):
                data.add("gpu", planned, self.timed)
            data.close()
        self.assertEqual(written[-1], 400)
        # 80,200 if the file were written anew for every shape.
        self.assertLess(sum(written), 10 * 400)
        self.assertEqual(self.files(), ["data.json"])

    def test_a_killed_collection_loses_nothing(self):
        for cut_off in (b"", b'{"hardware": {"gpu": {"oper'):
            with self.subTest(cut_off=cut_off):
                self.path.unlink(missing_ok=True)
                data = ChunkedDataset(self.path)
                for planned in self.many(50):
                    data.add("gpu", planned, self.timed)
                self.assertEqual(self.files(), ["data.json", "data.json.journal"])
                with (self.path.parent / "data.json.journal").open("ab") as journal:
                    journal.write(cut_off)
                again = ChunkedDataset(self.path)
                self.assertEqual(again.missing(self.many(51)), self.many(51)[50:])
                self.assertEqual(self.files(), ["data.json"])
                self.assertEqual(len(list(read_file(self.path, Dataset).timings())), 50)

    def test_a_journal_that_was_taken_in_counts_once(self):
        data = ChunkedDataset(self.path)
        for planned in self.many(20):
            data.add("gpu", planned, self.timed)
        journal = self.path.parent / "data.json.journal"
        noted = journal.read_bytes()
        data.close()
        journal.write_bytes(noted)
        ChunkedDataset(self.path)
        self.assertEqual(len(list(read_file(self.path, Dataset).timings())), 20)

    def test_a_chunk_is_whole_when_the_next_begins(self):
        data = ChunkedDataset(self.path, 30)
        for planned in self.many(31):
            data.add("gpu", planned, self.timed)
        self.assertEqual(self.files(), ["data_1.json", "data_2.json"])
        self.assertEqual(len(list(read_file(data.files()[0], Dataset).timings())), 30)

    def test_files_of_another_kind_are_not_overwritten(self):
        self.path.write_text('{"shapes": []}')
        with self.assertRaisesRegex(ValueError, "is a ShapeSet"):
            ChunkedDataset(self.path)
        with self.assertRaisesRegex(ValueError, "one at least"):
            ChunkedDataset(self.path, 0)


class Lines(unittest.TestCase):
    def test_time_left(self):
        clock = iter((0.0, 30.0, 31.0, 60.0))
        out = io.StringIO()
        progress = Progress(4, out=out, now=lambda: next(clock))
        for done in (1, 2, 4):
            progress.show(done, f"{done} of 4")
        progress.finish()
        self.assertEqual(out.getvalue(), " 25% 1 of 4, 1:30 left\n100% 4 of 4, 0:00 left\n")
        self.assertEqual(clock_text(3723), "1:02:03")


class Imports(unittest.TestCase):
    def test_torch_is_not_imported(self):
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
