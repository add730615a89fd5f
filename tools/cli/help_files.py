# SPDX-License-Identifier: Apache-2.0
"""help_files.py OUTPUT VERSION HELP.md...: man pages and bash completion, from the texts that --help prints.

Writes OUTPUT/man/man1/*.1 and OUTPUT/bash-completion/completions/triode.
"""

import re
import sys
from pathlib import Path

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def roff(text):
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def blocks(text):
    """The kind and the lines of each block: heading, code, table, item (depth first), text."""
    kind, lines = None, []
    for line in [*text.splitlines(), ""]:
        item = re.match(r"( *)- ", line)
        if line.startswith("    ") and kind in (None, "code"):
            new = "code"
        elif line.startswith("#"):
            new = "heading"
        elif line.startswith("|"):
            new = "table"
        elif item:
            new = "item"
        else:
            new = kind if kind in ("item", "text") else "text"
        if lines and (not line or new != kind or item):
            yield kind, lines
            kind, lines = None, []
        if line:
            kind = new
            lines.append(line)


def page(name, text, version):
    """A man page of the help text of `name`, whose first paragraph says what it does."""
    parts = list(blocks(text))[1:]  # without the title
    summary = " ".join(parts[0][1])
    out = [f'.TH "{name.upper()}" 1 "" "Triode {version}" "User Commands"', ".SH NAME",
           f"{roff(name)} \\- {roff(summary)}"]
    synopsis_is_written = False
    for kind, lines in parts[1:]:
        if kind == "heading":
            out += [".SH " + roff(lines[0].lstrip("# ").upper())]
        elif kind in ("code", "table"):
            if not synopsis_is_written:
                out += [".SH SYNOPSIS", ".nf", *(roff(line[4:]) for line in lines), ".fi", ".SH DESCRIPTION"]
                synopsis_is_written = True
            else:
                out += [".PP", ".RS 4", ".nf", *(roff(line.removeprefix("    ")) for line in lines), ".fi", ".RE"]
        elif kind == "item":
            depth = (len(lines[0]) - len(lines[0].lstrip())) // 2
            out += [f".IP \\(bu {2 + 2 * depth}", roff(" ".join(map(str.strip, lines))[2:])]
        else:
            out += [".PP", roff(" ".join(map(str.strip, lines)))]
    return "\n".join(out) + "\n"


def modes(text):
    """What may follow the command: `ls` of "- `ls`: ...", cpu-gemm of "## cpu-gemm"."""
    found = re.findall(r"^- `([a-z][a-z-]*)[ `]", text, re.M) + re.findall(r"^## ([a-z][a-z0-9-]*)$", text, re.M)
    form = r"^    triode [a-z]+ (?:[a-z|-]+\|)?(?:%s\b|[A-Z]+\b)"
    return {word for word in found if re.search(form % word, text, re.M)}


def options(text):
    """Those of lists and of the forms of a call; plain text also names options of other commands."""
    found, own = set(), modes(text)
    for kind, lines in blocks(text):
        if kind == "code":
            found.update(OPTION.findall("\n".join(lines)))
        elif kind == "item":
            for span in re.findall(r"`([^`]+)`", " ".join(lines)):
                if span.startswith("-") or span.split()[0] in own:
                    found.update(OPTION.findall(span))
    return found


def words_by_command(texts):
    """For each command, what the shell offers behind it."""
    words = {}
    for name, text in texts.items():
        if name == "toolkit":
            words[name] = options(text)
            for section in re.split(r"^## ", text, flags=re.M)[1:]:
                title, _, body = section.partition("\n")
                if re.fullmatch("[a-z][a-z-]*", title):
                    words.setdefault(title, {"--help"}).update(options(body))
                    words[name].add(title)
        elif name:
            words.setdefault(name, set()).update(options(text), modes(text))
    return words


def completion(texts):
    words = words_by_command(texts)
    first = sorted(words) + sorted(options(texts[""]))
    lines = ["# Completion of `triode` for bash. Where nothing fits, files are offered.", "_triode() {",
             "  local words", "  if [ \"$COMP_CWORD\" = 1 ]; then", f"    words=\"{' '.join(first)}\"", "  else",
             "    case ${COMP_WORDS[1]} in"]
    for name, offered in sorted(words.items()):
        lines.append(f"      {name}) words=\"{' '.join(sorted(offered))}\" ;;")
    lines += ["      *) words= ;;", "    esac", "  fi",
              "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")", "}",
              "complete -o default -F _triode triode"]
    return "\n".join(lines) + "\n"


def main(output, version, *files):
    texts = {}
    for file in map(Path, files):
        texts["" if file.stem == "triode" else file.stem] = file.read_text(encoding="utf-8")
    pages = Path(output) / "man" / "man1"
    pages.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        full = f"triode-{name}" if name else "triode"
        (pages / f"{full}.1").write_text(page(full, text, version), encoding="utf-8")
    folder = Path(output) / "bash-completion" / "completions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "triode").write_text(completion(texts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
