# SPDX-License-Identifier: Apache-2.0
"""`triode convert`: diode's files from JSON to msgpack and back."""

from pathlib import Path
from typing import Any

from ..types import read_any_file, write_file
from . import options


def convert(arguments: list[str]) -> dict[str, Any]:
    parser = options.Parser("convert")
    parser.add_argument("--input-files", nargs="+", required=True)
    parser.add_argument("--output-dir")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--to", choices=("json", "msgpack"))
    given = parser.parse_args(arguments)
    plan = [(Path(file), _output(Path(file), given)) for file in given.input_files]
    for source, output in plan:
        if output.exists() and not given.overwrite:
            raise FileExistsError(f"{output} is there already; give --overwrite to replace it")
        if output == source:
            raise options.WrongUsage(f"{source} is {output.suffix.removeprefix('.')} already")
    # All are read before one is written: a wrong file leaves nothing half done.
    records = [(read_any_file(source), output) for source, output in plan]
    for record, output in records:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_file(output, record)
    return {"converted": [str(output) for _, output in plan]}


def _output(source: Path, given: Any) -> Path:
    other = given.to or given.format or ("json" if source.suffix == ".msgpack" else "msgpack")
    folder = Path(given.output_dir) if given.output_dir else source.parent
    return folder / f"{source.stem}.{other}"
