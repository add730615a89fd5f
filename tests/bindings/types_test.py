# SPDX-License-Identifier: Apache-2.0
"""diode's types and files, without torch: to the byte, and what is wrong in one is told."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from triode.types import (
    Dataset,
    DType,
    MMProblem,
    MMShape,
    OperationShapeSet,
    ShapeSet,
    Solution,
    Table,
    TritonGEMMConfig,
    read_any_file,
    read_file,
    write_file,
)

ROOT = Path(os.environ["TRIODE_ROOT"])
FILES = next(
    (above / "shared/data/diode" for above in ROOT.parents if (above / "shared/data/diode").is_dir()), None
)

SHAPE = MMShape.plain(32, 48, 64, "float16")
SHAPE_TEXT = (
    '{"version": 1, "B": 1, "M": 32, "M_dtype": "float16", "N": 48, "K": 64, "K_dtype": "float16", '
    '"out_dtype": "float16", "out_size": [1, 32, 48], "out_stride": [1536, 48, 1]}'
)
CONFIG_TEXT = (
    '{"ACC_TYPE": "tl.float32", "ALLOW_TF32": false, "EVEN_K": true, "USE_FAST_ACCUM": false, "block_k": 16, '
    '"block_m": 32, "block_n": 64, "grid": 1, "group_m": 8, "name": "mm_config", "num_stages": 2, '
    '"num_warps": 4, "version": 1}'
)
# As diode writes a Dataset of one timing, taken apart by json.dumps(..., indent=2).
DATASET_TEXT = json.dumps(
    {
        "hardware": {
            "NVIDIA H100": {
                "operation": {
                    "mm": {
                        "solution": {
                            SHAPE_TEXT: {
                                "timed_configs": [
                                    {"config": json.loads(CONFIG_TEXT), "time": 0.02611199952661991, "version": 1}
                                ],
                                "version": 1,
                            }
                        },
                        "version": 1,
                    }
                },
                "version": 1,
            }
        },
        "version": 1,
    },
    indent=2,
)


def config(**fields):
    usual = dict(
        name="mm_config", grid=1, block_m=32, block_n=64, block_k=16, group_m=8, num_stages=2, num_warps=4
    )
    return TritonGEMMConfig(**(usual | fields))


def dataset():
    made = Dataset()
    made.add_timing("NVIDIA H100", "mm", SHAPE, config(EVEN_K=True), 0.02611199952661991)
    return made


def larger_dataset():
    made = Dataset()
    for op, batch in (("mm", 1), ("addmm", 1), ("bmm", 12)):
        for m in (8, 129, 4096):
            for stages in (1, 3, 2):
                shape = MMShape.plain(m, 64, 1000, "bfloat16", batch)
                made.add_timing("NVIDIA A100-SXM4-40GB", op, shape, config(num_stages=stages), stages * 0.125)
    return made


class Json(unittest.TestCase):
    def test_is_diodes_to_the_byte(self):
        self.assertEqual(str(SHAPE), SHAPE_TEXT)
        self.assertEqual(str(config(EVEN_K=True)), CONFIG_TEXT)
        self.assertEqual(dataset().serialize(), DATASET_TEXT)

    def test_comes_back_as_it_was(self):
        self.assertEqual(MMShape.parse(SHAPE_TEXT), SHAPE)
        self.assertEqual(TritonGEMMConfig.parse(CONFIG_TEXT), config(EVEN_K=True))
        self.assertEqual(Dataset.deserialize(DATASET_TEXT), dataset())
        for made in (larger_dataset(), larger_dataset().to_table()):
            text = made.serialize()
            self.assertEqual(type(made).deserialize(text), made)
            self.assertEqual(type(made).deserialize(text).serialize(), text)

    def test_older_form_is_read_and_written(self):
        text = dataset().serialize(legacy=True)
        self.assertIn('"name": "mm"', text)
        self.assertIn(json.dumps(CONFIG_TEXT), text)
        self.assertEqual(Dataset.deserialize(text), dataset())

    def test_shape_sets(self):
        shapes = OperationShapeSet()
        shapes.add_shape("mm", SHAPE)
        shapes.add_shape("bmm", MMShape.plain(8, 8, 8, "float32", batch=4))
        text = shapes.serialize()
        self.assertEqual(json.loads(text)["operations"]["mm"]["shapes"], [json.loads(SHAPE_TEXT)])
        self.assertEqual(list(json.loads(text)["operations"]["mm"]["shapes"][0])[:2], ["version", "B"])
        self.assertEqual(OperationShapeSet.deserialize(text), shapes)
        self.assertEqual(shapes.get_operation_names(), ["mm", "bmm"])
        self.assertEqual(shapes.get_shapes_for_operation("addmm"), [])
        self.assertEqual(ShapeSet.deserialize(ShapeSet(shapes=[SHAPE]).serialize()).shapes, [SHAPE])


class Msgpack(unittest.TestCase):
    def test_comes_back_as_it_was(self):
        for made in (larger_dataset(), larger_dataset().to_table(), ShapeSet(shapes=[SHAPE])):
            data = made.to_msgpack()
            self.assertEqual(type(made).from_msgpack(data), made)
            self.assertEqual(type(made).from_msgpack(data).to_msgpack(), data)

    def test_types_are_marked_as_diode_marks_them(self):
        import msgpack

        plain = msgpack.unpackb(ShapeSet(shapes=[SHAPE]).to_msgpack())
        self.assertEqual(plain["shapes"][0]["M_dtype"], {"__torch_dtype__": "float16"})

    def test_what_was_json_before_is_read(self):
        import msgpack

        self.assertEqual(Dataset.from_msgpack(msgpack.packb(json.loads(DATASET_TEXT))), dataset())
        plain = json.loads(ShapeSet(shapes=[SHAPE]).serialize())
        self.assertEqual(ShapeSet.from_msgpack(msgpack.packb(plain)).shapes, [SHAPE])

    def test_bytes_that_are_none_are_refused(self):
        for data in (b"", b"\xc1", b"\xdf\xff\xff\xff\xff", dataset().to_msgpack()[:-3]):
            with self.assertRaisesRegex(ValueError, "Dataset"):
                Dataset.from_msgpack(data)


class Wrong(unittest.TestCase):
    """diode gives None for all of these, or an exception that does not name the place."""

    def refused(self, text, reason, kind=Dataset):
        with self.assertRaisesRegex(ValueError, reason):
            kind.deserialize(text)

    def test_fields(self):
        self.refused(CONFIG_TEXT.replace('"block_m": 32, ', ""), "lacks block_m", TritonGEMMConfig)
        self.refused(
            CONFIG_TEXT.replace('"block_m": 32', '"block_m": "32"'), "block_m must be a whole", TritonGEMMConfig
        )
        self.refused(
            CONFIG_TEXT.replace('"grid": 1', '"grid": true'), "grid must be a whole", TritonGEMMConfig
        )
        self.refused(CONFIG_TEXT.replace("EVEN_K", "EVENK"), "unknown fields EVENK", TritonGEMMConfig)
        self.refused(SHAPE_TEXT.replace("float16", "float12"), "float12", MMShape)
        self.refused(SHAPE_TEXT.replace("[1, 32, 48]", "[1, 32]"), "out_size must have 3 numbers", MMShape)
        self.refused(CONFIG_TEXT.replace('"version": 1', '"version": 2'), "version 2", TritonGEMMConfig)

    def test_place_is_named(self):
        self.refused(
            DATASET_TEXT.replace('"block_k": 16', '"block_k": null'),
            r"hardware\['NVIDIA H100'\]\.operation\['mm'\].*timed_configs\[0\]\.config\.block_k",
        )

    def test_no_json(self):
        self.refused("{", "no JSON")
        self.refused("[]", "must be an object")
        self.refused("[" * 100_000, "no JSON")

    def test_times(self):
        for time in (0, -1.0, float("nan"), True, "1"):
            with self.assertRaisesRegex(ValueError, "positive number of milliseconds"):
                Dataset().add_timing("gpu", "mm", SHAPE, config(), time)


class Lookups(unittest.TestCase):
    def setUp(self):
        self.data = Dataset()
        for stages, time in ((1, 3.0), (2, 1.0), (3, 2.0), (4, float("inf"))):
            self.data.add_timing("gpu", "mm", SHAPE, config(num_stages=stages), time)

    def test_table_is_sorted_by_time_without_what_did_not_run(self):
        configs = self.data.to_table().lookup("gpu", "mm", SHAPE)
        self.assertEqual([one.num_stages for one in configs], [2, 3, 1])
        (fastest,) = self.data.get_fastest_configs().items()
        self.assertEqual(fastest, (("gpu", "mm", SHAPE), config(num_stages=2)))

    def test_table_answers(self):
        table = self.data.to_table()
        for where in (("other", "mm", SHAPE), ("gpu", "bmm", SHAPE), ("gpu", "mm", MMShape.plain(1, 1, 1, "float16"))):
            self.assertIsNone(table.lookup(*where))
            self.assertIsNone(table.filter(*where, [config()]))
        asked = [config(num_stages=7), config(num_stages=1), config(num_stages=2)]
        self.assertEqual(table.filter("gpu", "mm", SHAPE, asked), asked[1:])
        self.assertIsNone(table.filter("gpu", "mm", SHAPE, asked[:1]))
        self.assertIn(asked[1], table.lookup_set("gpu", "mm", SHAPE))

    def test_update_adds_rows(self):
        both = larger_dataset()
        both.update(self.data)
        self.assertEqual(len(list(both.timings())), len(list(larger_dataset().timings())) + 4)


class Types(unittest.TestCase):
    def test_names(self):
        self.assertIs(MMProblem, MMShape)
        self.assertEqual(DType("half"), "float16")
        self.assertEqual(DType("torch.bfloat16"), DType("bfloat16"))
        self.assertNotEqual(DType("float16"), "float32")
        self.assertEqual(len({DType("float16"), DType("torch.float16")}), 1)
        with self.assertRaisesRegex(ValueError, "no element type"):
            DType("f16x")

    def test_even_k_and_tf32_follow_the_shape(self):
        uneven = MMShape.plain(64, 64, 1000, "float32")
        self.assertFalse(config(block_k=128, EVEN_K=True).for_shape(uneven).EVEN_K)
        self.assertTrue(config(block_k=8).for_shape(uneven).EVEN_K)
        self.assertFalse(config(ALLOW_TF32=True).for_shape(uneven).ALLOW_TF32)
        self.assertTrue(config().for_shape(uneven, allow_tf32=True).ALLOW_TF32)
        self.assertFalse(config().for_shape(SHAPE, allow_tf32=True).ALLOW_TF32)

    def test_torch_is_not_imported(self):
        self.assertNotIn("torch", sys.modules)


class Files(unittest.TestCase):
    def test_round_trip_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("data.json", "data.msgpack"):
                path = Path(folder) / name
                write_file(path, larger_dataset())
                self.assertEqual(read_file(path, Dataset), larger_dataset())
            self.assertEqual(sorted(os.listdir(folder)), ["data.json", "data.msgpack"])

    def test_other_kinds_are_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "shapes.json"
            write_file(path, ShapeSet(shapes=[SHAPE]))
            for kind in (OperationShapeSet, Dataset, Table):
                with self.assertRaisesRegex(ValueError, f"is a ShapeSet, where a {kind.__name__} is expected"):
                    read_file(path, kind)
            path.write_text('{"m": 1, "n": 2}')
            with self.assertRaisesRegex(ValueError, "none of diode's files; it holds m, n"):
                read_any_file(path)
            with self.assertRaisesRegex(ValueError, r"must end in \.json or \.msgpack"):
                read_any_file(Path(folder) / "data.txt")
            with self.assertRaises(FileNotFoundError):
                read_any_file(Path(folder) / "none.json")

    @unittest.skipIf(FILES is None, "no shared/data/diode beside the project")
    def test_diodes_own_files(self):
        kinds = {
            "example_shapeset.json": ShapeSet,
            "matmul_dataset.json": Dataset,
            "max_autotune.json": Solution,
            "operation_shapeset.json": OperationShapeSet,
            "small_op_shapes.json": OperationShapeSet,
        }
        for name, kind in kinds.items():
            text = (FILES / name).read_text()
            record = read_any_file(FILES / name)
            self.assertIs(type(record), kind)
            self.assertEqual(kind.from_msgpack(record.to_msgpack()), record)
            again = record.serialize(legacy=True) if kind is Dataset else record.serialize()
            self.assertEqual(json.loads(again), json.loads(text))
            if name in ("example_shapeset.json", "matmul_dataset.json", "operation_shapeset.json"):
                self.assertEqual(again, text)  # the other two were laid out by hand
        counts = {
            op: len(read_file(FILES / "operation_shapeset.json", OperationShapeSet).get_shapes_for_operation(op))
            for op in ("mm", "addmm", "bmm")
        }
        self.assertEqual(counts, {"mm": 801, "addmm": 302, "bmm": 474})
        self.assertEqual(len(list(read_file(FILES / "matmul_dataset.json", Dataset).timings())), 84)
        with self.assertRaisesRegex(ValueError, "is a ShapeSet"):
            read_file(FILES / "example_shapeset.json", OperationShapeSet)


if __name__ == "__main__":
    unittest.main()
