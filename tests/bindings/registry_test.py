# SPDX-License-Identifier: Apache-2.0
"""The registries of models and integrations, and diode's names, without torch."""

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import triode
from triode import stats
from triode.compat import diode, diode_choices
from triode.registry import (
    Integration,
    IntegrationRegistry,
    MatmulIntegration,
    ModelPointer,
    ModelRegistry,
    generate_model_manifest,
    get_integration_status,
    get_model_registry,
)
from triode.registry.model_registry import CHOICES, MATMUL


class Models(unittest.TestCase):
    def test_shipped_models_are_there_with_their_checksum(self):
        manifest = generate_model_manifest()
        (gpu,) = [one for one in manifest["models_by_purpose"][MATMUL] if one["name"] == "gpu.snapshot"]
        pointer = get_model_registry().get_model(MATMUL, "gpu.snapshot")
        self.assertTrue(pointer.exists())
        self.assertEqual(gpu["sha256"], hashlib.sha256(pointer.full_path.read_bytes()).hexdigest())
        self.assertEqual(manifest["total_models"], len(get_model_registry().get_existing_models()))
        self.assertGreater(gpu["size_mb"], 0)
        json.dumps(manifest)

    def test_a_pointer_to_nothing_is_no_model(self):
        registry = ModelRegistry()
        registry.register_model(ModelPointer("none.snapshot", ".", "sums", CHOICES, dependencies=["nothing"]))
        missing = registry.get_model("sums", "none.snapshot")
        self.assertFalse(missing.exists())
        self.assertEqual(missing.get_size_mb(), 0)
        self.assertIn(missing, registry.get_all_models())
        self.assertNotIn(missing, registry.get_existing_models())
        self.assertNotIn("sums", registry.generate_manifest()["models_by_purpose"])
        with self.assertRaises(FileNotFoundError):
            missing.checksum()
        with self.assertRaisesRegex(ValueError, "model_name must be a text"):
            ModelPointer("", ".", "sums", CHOICES)

    def test_a_model_of_ones_own(self):
        registry = ModelRegistry()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mine.snapshot").write_bytes(b"1234")
            mine = ModelPointer("mine.snapshot", folder, "sums", "somewhere", version="2.0", dependencies=["numpy"])
            registry.register_model(mine)
            self.assertEqual(registry.get_models_by_purpose("sums"), [mine])
            self.assertEqual(registry.get_models_by_interface("somewhere"), [mine])
            self.assertIn(Path(folder) / "mine.snapshot", registry.get_model_paths_for_build())
            manifest = registry.generate_manifest()
            self.assertEqual(manifest["models_by_purpose"]["sums"][0]["version"], "2.0")
            self.assertIn("numpy", manifest["all_dependencies"])


class Failing(Integration):
    def __init__(self, name="failing", error=None):
        super().__init__(name, "somewhere", ["nosuch", "json"])
        self._error = error

    def _put_in_force(self):
        if self._error:
            raise self._error


class Integrations(unittest.TestCase):
    def test_one_that_fails_says_why_and_stops_no_other(self):
        registry = IntegrationRegistry()
        registry.register(Failing("last"))
        registry.register(Failing("first", OSError("no model")), execute_order=1)
        self.assertEqual(list(registry.integrations), ["first", "last"])
        self.assertEqual(registry.integrate_all(), {"first": False, "last": True})
        report = registry.get_status_report()
        self.assertEqual(report["first"]["integration_status"], "failed")
        self.assertEqual(report["first"]["reason"], "OSError: no model")
        self.assertEqual(report["last"]["integration_status"], "integrated")
        self.assertEqual(report["last"]["dependencies"], {"nosuch": False, "json": True})

    def test_matmul_is_not_in_force_before_it_is_asked_for(self):
        told = get_integration_status()["matmul"]
        self.assertEqual(told["integration_status"], "not_started")
        self.assertEqual(told["installed"], {"installed": False})
        self.assertGreater(told["models_available"], 0)

    def test_a_wrong_model_is_a_failed_integration(self):
        with mock.patch("triode.inductor.install", side_effect=FileNotFoundError("no model 'x'")):
            integration = MatmulIntegration(model="x")
            self.assertFalse(integration.integrate())
        self.assertIn("no model 'x'", integration.reason)


class Stats(unittest.TestCase):
    def test_count_from_the_reset_on(self):
        now = {"installed": True, "installation": 1, "counters": {"total_calls": 5}}
        with mock.patch.object(stats, "status", lambda: now):
            self.assertEqual(triode.get_stats()["total_calls"], 5)
            self.assertEqual(triode.get_stats()["fallback_error"], 0)
            triode.reset_stats()
            self.assertEqual(triode.get_stats()["total_calls"], 0)
            now["counters"] = {"total_calls": 7, "model_selections": 1}
            self.assertEqual((triode.get_stats()["total_calls"], triode.get_stats()["model_selections"]), (2, 1))
            # Another one with the same options.
            now["installation"], now["counters"] = 2, {"total_calls": 1}
            self.assertEqual(triode.get_stats()["total_calls"], 1)
        self.assertEqual(triode.get_stats()["total_calls"], 0)


class Names(unittest.TestCase):
    def test_every_name_is_there(self):
        for name in diode.__all__:
            self.assertTrue(hasattr(diode, name), name)
        self.assertIs(diode.MMProblem, diode.MMShape)

    def test_choices_check_their_options_and_install_nothing(self):
        choices = diode.create_diode_choices(top_k_configs=5, performance_threshold=1.2, enable_fallback=False)
        self.assertEqual((choices.top_k_configs, choices.performance_threshold), (5, 1.2))
        self.assertEqual(triode.status(), {"installed": False})
        with self.assertRaisesRegex(ValueError, "top_k is 0"):
            diode.create_diode_choices(top_k_configs=0)
        with self.assertRaisesRegex(FileNotFoundError, "no model 'nosuch.pt'"):
            diode.create_diode_choices("nosuch.pt")

    def test_choices_hand_diodes_options_over(self):
        with mock.patch.object(diode_choices.inductor, "install") as install:
            choices = diode.install_diode_choices(top_k_configs=2, performance_threshold=1.3)
            install.assert_called_once_with(model=None, top_k=2, threshold=1.3, fallback=True)
            choices.uninstall()
            install.return_value.__exit__.assert_called_once()

    def test_integrations_by_diodes_functions(self):
        registry = diode.get_integration_registry()
        self.addCleanup(registry.register, MatmulIntegration())
        registry._integrations.clear()
        self.assertEqual(diode.discover_and_register_integrations(), {"matmul": True})
        with mock.patch("triode.inductor.install") as install:
            self.assertEqual(diode.install_diode_integrations(enable_fallback=False), {"matmul": True})
            install.assert_called_once_with(fallback=False)
            self.assertTrue(diode.create_matmul_integration().integrate())
        self.assertEqual(diode.get_diode_status()["matmul"]["integration_status"], "integrated")

    def test_names_without_a_counterpart_are_listed(self):
        page = (Path(os.environ["TRIODE_ROOT"]) / "docs/coming-from-diode.md").read_text()
        missing = ["MatmulTimingModel", "DeepMatmulTimingModel", "MatmulModelV1", "NeuralNetwork", "ModelWrapper"]
        missing += ["MatmulInferenceInterface", "MatmulFeatureProcessor", "UnifiedMatmulPredictor"]
        for name in [*missing, "init_model_weights", "save_model_checkpoint"]:
            self.assertFalse(hasattr(diode, name), name)
            self.assertIn(f"`{name}`", page)

    def test_collector_plans_what_diodes_options_say(self):
        collector = diode.MatmulDatasetCollector(
            "gpu", mode=diode.CollectionMode.LOG_NORMAL, num_shapes=3, log_normal_m_mean=3.0, dtypes=["float16"]
        )
        self.assertEqual(len(collector.planned()), 3)
        self.assertEqual({one.shape.M_dtype for one in collector.planned()}, {"float16"})
        with self.assertRaisesRegex(ValueError, "needs an operation_shape_set"):
            diode.MatmulDatasetCollector(mode=diode.CollectionMode.OPERATION_SHAPE_SET)
        shapes = diode.OperationShapeSet()
        shapes.add_shape("bmm", diode.MMShape.plain(1, 2, 3, "float16", batch=7))
        of_set = diode.MatmulDatasetCollector(
            mode=diode.CollectionMode.OPERATION_SHAPE_SET, operation_shape_set=shapes, operations=["bmm"]
        )
        self.assertEqual([one.shape.B for one in of_set.planned()], [7])

    def test_functions_are_the_modes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "shapes.json"
            diode.types.write_file(path, diode.ShapeSet())
            diode.convert_json_to_msgpack([str(path)], overwrite=True)
            self.assertEqual(diode.types.read_any_file(path.with_suffix(".msgpack")), diode.ShapeSet())
            with self.assertRaisesRegex(ValueError, "is a ShapeSet, where a Table is expected"):
                diode.get_table(str(path))

    def test_smaller_functions(self):
        tile = {"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP_M": 4}
        (config,) = diode.convert_triton_configs_to_gemm_configs(
            [SimpleNamespace(kwargs=tile, num_stages=3, num_warps=8)]
        )
        self.assertEqual((config.name, config.tile()), ("triton_config_0", (64, 32, 16, 4, 3, 8)))
        with self.assertRaises(KeyError):
            diode.convert_triton_configs_to_gemm_configs([SimpleNamespace(kwargs=None, num_stages=3, num_warps=8)])
        self.assertEqual(len(set(diode.generate_matrix_sizes(5))), 5)
        self.assertEqual(diode.get_model_info()["available_models"], diode.generate_model_manifest()["total_models"])
        data = diode.Dataset()
        data.add_timing("gpu", "mm", diode.MMShape.plain(1, 2, 3, "float16"), config, 0.5)
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            diode.print_dataset_statistics(data)
            diode.print_dataset_statistics(data, op_name="bmm")
        self.assertEqual(told.getvalue(), "gpu, mm: 1 shapes, 1 timings, 0.5 to 0.5 ms\n")

    def test_torch_is_not_imported(self):
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
