# SPDX-License-Identifier: Apache-2.0
"""torch-diode's names. A program that used diode changes its imports to this module:

    from triode.compat.diode import install_diode_choices, MatmulDatasetCollector, Dataset

docs/coming-from-diode.md tells what is different behind the names.
"""

from .. import collection, registry, types
from ..registry import (
    IntegrationRegistry,
    MatmulIntegration,
    ModelPointer,
    ModelRegistry,
    generate_model_manifest,
    get_integration_registry,
    get_integration_status,
    get_model_registry,
    integrate_all,
    register_integration,
    register_model,
)
from ..registry import Integration as BaseIntegration
from ..types import (
    Dataset,
    DatasetHardware,
    DatasetOperation,
    DatasetSolution,
    Hardware,
    MMProblem,
    MMShape,
    Operation,
    OperationShapeSet,
    ShapeSet,
    Solution,
    Table,
    TimedConfig,
    TritonGEMMConfig,
)
from ..types import Record as JSONSerializable
from .diode_choices import DiodeInductorChoices, create_diode_choices, install_diode_choices
from .diode_collector import CollectionMode, MatmulDatasetCollector
from .diode_integration import (
    create_matmul_integration,
    discover_and_register_integrations,
    get_diode_status,
    install_diode_integrations,
)
from .diode_lookup import (
    convert_triton_configs_to_gemm_configs,
    generate_matrix_sizes,
    get_integration_info,
    get_model_info,
    get_table,
    print_dataset_statistics,
)
from .diode_toolkit import (
    collect_data,
    convert_json_to_msgpack,
    create_validation_dataset,
    train_model,
    train_model_from_directory,
    validate_max_autotune,
    validate_model,
)

MatmulDataset = Dataset

__all__ = [
    "BaseIntegration",
    "CollectionMode",
    "Dataset",
    "DatasetHardware",
    "DatasetOperation",
    "DatasetSolution",
    "DiodeInductorChoices",
    "Hardware",
    "IntegrationRegistry",
    "JSONSerializable",
    "MMProblem",
    "MMShape",
    "MatmulDataset",
    "MatmulDatasetCollector",
    "MatmulIntegration",
    "ModelPointer",
    "ModelRegistry",
    "Operation",
    "OperationShapeSet",
    "ShapeSet",
    "Solution",
    "Table",
    "TimedConfig",
    "TritonGEMMConfig",
    "collect_data",
    "collection",
    "convert_json_to_msgpack",
    "convert_triton_configs_to_gemm_configs",
    "create_diode_choices",
    "create_matmul_integration",
    "create_validation_dataset",
    "discover_and_register_integrations",
    "generate_matrix_sizes",
    "generate_model_manifest",
    "get_diode_status",
    "get_integration_info",
    "get_integration_registry",
    "get_integration_status",
    "get_model_info",
    "get_model_registry",
    "get_table",
    "install_diode_choices",
    "install_diode_integrations",
    "integrate_all",
    "print_dataset_statistics",
    "register_integration",
    "register_model",
    "registry",
    "train_model",
    "train_model_from_directory",
    "types",
    "validate_max_autotune",
    "validate_model",
]
