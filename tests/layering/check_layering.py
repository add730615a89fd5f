# SPDX-License-Identifier: Apache-2.0
"""House rules that a compiler does not check, as a test.

Usage: check_layering.py ROOT

Reads every source under ROOT and prints one line per broken rule; exit 1 if there is any.
The rules: an #include follows the module map; a third-party header is included by the module that
owns it alone, and does not reach another module through a header; each file starts with the licence
line and bears the name of a concept.
"""

import re
import sys
from pathlib import Path

LICENCE = "SPDX-License-Identifier: Apache-2.0"

# Whom a module may include besides itself. Closed under "carries through": runtime lists cache's core.
MAY_INCLUDE = {
    "core": set(),
    "jit": {"core"},
    "cache": {"core"},
    "learner/model": {"core"},
    "learner/train": {"core", "cache", "learner/model"},
    "runtime": {"core", "jit", "cache", "learner/model", "learner/train"},
}
MAY_INCLUDE["bindings"] = MAY_INCLUDE["runtime"] | {"runtime"}
MAY_INCLUDE["tools"] = MAY_INCLUDE["runtime"] | {"runtime"}

JSON_USERS = {"cache", "learner/model", "learner/train", "bindings", "tools"}

# Third-party headers by the start of their name, and the modules that may include them.
OWNERS = {
    "asmjit/": {"jit"},
    "nvrtc.h": {"jit"},
    "cuda.h": {"runtime"},
    "cublas": {"runtime"},
    "rocksdb/": {"cache"},
    "zstd.h": {"cache"},
    "zlib.h": {"cache"},
    "torch/": {"learner/train", "bindings"},
    "ATen/": {"learner/train", "bindings"},
    "c10/": {"learner/train", "bindings"},
    "tbb/": {"runtime"},
    "oneapi/tbb": {"runtime"},
    "pybind11/": {"bindings"},
    # Triode's own installed headers, as a program that has installed them includes them.
    "triode/": {"runtime", "bindings"},
    "CLI/": {"tools"},
    "spdlog/": {"runtime", "tools"},
    "fmt/": {"runtime", "tools"},
    "nlohmann/": JSON_USERS,
    "msgpack": JSON_USERS,
    # Peers of the benchmark.
    "cblas.h": {"tools"},
    "sqlite3.h": {"tools"},
    "blis/": {"tools"},
    "dnnl": {"tools"},
    "oneapi/dnnl": {"tools"},
}

# Headers of the C library, Linux and the compiler that are not in the C++ standard library.
SYSTEM_FOLDERS = {"sys", "linux", "asm", "arpa", "netinet"}
SYSTEM_HEADERS = {
    "cpuid.h", "cxxabi.h", "dirent.h", "dlfcn.h", "elf.h", "errno.h", "execinfo.h", "fcntl.h",
    "features.h", "getopt.h", "glob.h", "immintrin.h", "limits.h", "link.h", "malloc.h", "netdb.h",
    "poll.h", "pthread.h", "pwd.h", "sched.h", "setjmp.h", "signal.h", "spawn.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h", "syslog.h", "termios.h", "time.h", "ucontext.h",
    "unistd.h", "wait.h", "x86intrin.h", "xmmintrin.h",
}

# Written by the build, so not found under the root.
GENERATED = re.compile(r"(triode_version|\w+_help|page_(script|style|template))\.h")

NO_CONCEPT = {"utils", "helpers", "common", "misc"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


class Tree:
    """The sources under a root, with their includes, read once."""

    def __init__(self, root: Path):
        self.root = root
        self.includes: dict[str, list[tuple[int, str, str]]] = {}
        self.first_lines: dict[str, list[str]] = {}
        for folder in ["cmake", "tests", *sorted({m.split("/")[0] for m in MAY_INCLUDE})]:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in {".cc", ".h", ".py", ".cmake"} or path.name == "CMakeLists.txt":
                    self._read(path)

    def _read(self, path: Path) -> None:
        name = path.relative_to(self.root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        self.first_lines[name] = lines[:2]
        if path.suffix in {".cc", ".h"}:
            matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
            self.includes[name] = [(number, m[1], m[2]) for number, m in matches if m]


def module_of(name: str) -> str | None:
    """The module a path belongs to, or None: tests, which may include anything, or a stray file."""
    return next((module for module in MAY_INCLUDE if name.startswith(module + "/")), None)


def owners_of(header: str) -> set[str] | None:
    """The modules that may include a header in angle brackets; None if every module may."""
    for start, owners in OWNERS.items():
        if header.startswith(start):
            return owners
    top, slash, _ = header.partition("/")
    is_standard = not slash and "." not in header
    if is_standard or header in SYSTEM_HEADERS or (slash and top in SYSTEM_FOLDERS):
        return None
    return set()


def check_project_include(module: str, header: str) -> str | None:
    if GENERATED.fullmatch(header):
        return None
    target = module_of(header)
    if target is None:
        return f'"{header}" is in no module; write the path from the root, as in "core/status.h"'
    if target != module and target not in MAY_INCLUDE[module]:
        return f'{module} may not include {target} ("{header}")'
    return None


def check_foreign_include(module: str, header: str) -> str | None:
    owners = owners_of(header)
    if owners is None or module in owners:
        return None
    if not owners:
        return f"<{header}> has no owner; name one in OWNERS of tests/layering/check_layering.py"
    return f"<{header}> belongs to {', '.join(sorted(owners))}, not to {module}"


def check_includes(tree: Tree) -> list[str]:
    problems = []
    for name, includes in tree.includes.items():
        module = module_of(name)
        if module is None:
            continue
        for number, bracket, header in includes:
            check = check_project_include if bracket == '"' else check_foreign_include
            if problem := check(module, header):
                problems.append(f"{name}:{number}: {problem}")
    return problems


def headers_reached(tree: Tree, name: str) -> set[str]:
    reached: set[str] = set()
    ahead = [name]
    while ahead:
        for _, bracket, header in tree.includes.get(ahead.pop(), []):
            if bracket == '"' and header not in reached:
                reached.add(header)
                ahead.append(header)
    return reached


def check_leaks(tree: Tree) -> list[str]:
    """Third-party headers that reach a module through a header of another module."""
    foreign = {
        name: header
        for name, includes in tree.includes.items()
        for _, bracket, header in includes
        if bracket == "<" and owners_of(header) is not None
    }
    problems = []
    for name in tree.includes:
        module = module_of(name)
        if module is None:
            continue
        for header in sorted(headers_reached(tree, name) & foreign.keys()):
            if module_of(header) != module:
                problems.append(f"{name}: gets <{foreign[header]}> through {header}; keep it in a .cc")
    return problems


def check_files(tree: Tree) -> list[str]:
    problems = []
    for name, first_lines in tree.first_lines.items():
        comment = "//" if name.endswith((".cc", ".h")) else "#"
        # The second line, for a script whose first names its interpreter.
        if f"{comment} {LICENCE}" not in first_lines:
            problems.append(f"{name}:1: the first line must be '{comment} {LICENCE}'")
        if nameless := NO_CONCEPT & set(Path(name).stem.lower().split("_")):
            problems.append(f"{name}: '{nameless.pop()}' names no concept; find the concept")
    return problems


def check(root: Path) -> list[str]:
    tree = Tree(root)
    return check_includes(tree) + check_leaks(tree) + check_files(tree)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not (Path(arguments[0]) / "core").is_dir():
        print("usage: check_layering.py ROOT (the folder that holds core)", file=sys.stderr)
        return 2
    problems = check(Path(arguments[0]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
