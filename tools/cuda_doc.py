"""Write the handbook's page on the features of cudasim, in both languages.

The features are the programs in ``tests/cudasim/features``; the first lines of a program describe
it in English, and ``zh.toml`` beside them describes all of them in Chinese. The table in
``cudasim/refusals.py`` has the refused names.

Usage: ``python tools/cuda_doc.py [--check]``
"""

import itertools
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchstone.core.i18n import LANGS, Lang
from torchstone.cudasim.refusals import HEADERS, IDENTIFIERS, INCLUDE, PTX, Refusal
from torchstone.cudasim.words import say

ROOT = Path(__file__).resolve().parent.parent
FEATURES = ROOT / "tests" / "cudasim" / "features"
_FROM_PAGE = "../../../tests/cudasim/features"

AREAS: dict[str, tuple[str, str]] = {
    "language": ("Language", "语言"),
    "memory": ("Memory", "内存"),
    "runtime": ("Streams, events, devices", "流、事件与设备"),
    "warp": ("Operations of a warp", "warp 操作"),
    "atomics": ("Atomic operations", "原子操作"),
    "groups": ("Cooperative groups", "协作组"),
    "math": ("Mathematics and intrinsics", "数学函数与 intrinsic"),
    "half": ("Half precision", "半精度"),
    "wmma": ("Matrix fragments", "矩阵片段（wmma）"),
}
_OPENING = (
    "# What cudasim supports\n\n"
    "Each row has two programs. The first one checks itself and must pass. The second one is "
    "wrong and must end in the result of the row. The tests run both. The [chapter](cudasim.md) "
    "explains how to use cudasim.\n\n"
    "`tools/cuda_doc.py` generates this page. Change the programs and "
    "`src/torchstone/cudasim/refusals.py`, not the page.\n",
    "# cudasim 支持什么\n\n"
    "每一行对应两个程序：一个自我检查、必须通过；一个有错、必须以旁边所写的方式被发现。"
    "两者都在测试中运行。用法见[这一章](cudasim.md)。\n\n"
    "本页由 `tools/cuda_doc.py` 生成。请修改这些程序、`tests/cudasim/features/zh.toml` 和 "
    "`src/torchstone/cudasim/refusals.py`，不要直接修改本页。\n",
)
_FEATURE_HEAD = (
    "| feature | program | wrong program | result |\n|---|---|---|---|",
    "| 功能 | 程序 | 出错的对照 | 结果 |\n|---|---|---|---|",
)
_REFUSED = (
    "## Features refused by name\n\n"
    "A program that contains one of these names is not compiled. The message has the location, "
    "the reason and a hint. `*` matches any letters.\n",
    "## 按名字拒绝的内容\n\n"
    "程序只要用到其中之一就不会编译；信息里有位置、理由和建议。`*` 代表任意字母。\n",
)
_NAMES = ("### Names", "### 名字")
_HEADERS = ("### Headers", "### 头文件")
_PTX = (
    "### Inline PTX\n\nAll inline PTX is refused in device code, except an empty instruction that "
    "constrains the compiler. The message comes from the first row whose word the instruction "
    "contains. If no row matches, the message says that the simulator does not support PTX.\n",
    "### 内联 PTX\n\n设备代码中一律拒绝；只有用来约束编译器的空指令可以保留。"
    "信息取自表中第一个词语出现在指令里的那一行；都不符合时，信息说明模拟器不认识 PTX。\n",
)
_REFUSED_HEAD = (
    "| name | why | instead |\n|---|---|---|",
    "| 名字 | 理由 | 替代写法 |\n|---|---|---|",
)
_PTX_HEAD = ("| word | message |\n|---|---|", "| 词语 | 信息 |\n|---|---|")
_ENDS = {
    "compile": ("a compilation error", "编译错误"),
    "error": ("", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Hold the description in the first lines of a program, and the result of its wrong variant.

    Attributes:
        name: The name of the program, without its suffix.
        lines: The description in each language, in the order of ``LANGS``.
        area: One of ``AREAS``.
        expected: The result of the wrong variant: ``RAW``, ``error cudaErrorInvalidValue``.
    """

    name: str
    lines: tuple[str, ...]
    area: str
    expected: str


def read_features() -> tuple[Feature, ...]:
    """Return all features, sorted by area and name.

    Raises:
        ValueError: A program has no description in one of the languages, no wrong variant, or an
            unknown area; or a description has no program.
    """
    programs = sorted(path for path in FEATURES.glob("*.cu") if not path.stem.endswith(".bad"))
    chinese = tomllib.loads((FEATURES / "zh.toml").read_text(encoding="utf-8"))
    if unequal := chinese.keys() ^ {program.stem for program in programs}:
        raise ValueError(f"zh.toml has other names than the programs: {sorted(unequal)}.")
    order = list(AREAS)
    features = [_read(program, chinese[program.stem]) for program in programs]
    return tuple(sorted(features, key=lambda each: (order.index(each.area), each.name)))


def _read(program: Path, chinese: str) -> Feature:
    said = _first_lines(program)
    wrong = program.with_name(f"{program.stem}.bad.cu")
    if said.get("area") not in AREAS or "feature" not in said or not wrong.is_file():
        raise ValueError(
            f"{program.name} needs a line `// feature: ...`, a line `// area: ...` with one of "
            f"{', '.join(AREAS)}, and {wrong.name} beside it."
        )
    expected = _first_lines(wrong)["expect"]
    lines = (said["feature"], chinese)
    return Feature(name=program.stem, lines=lines, area=said["area"], expected=expected)


def _first_lines(program: Path) -> dict[str, str]:
    found = re.findall(r"^// (\w+): (.+)$", program.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(reversed(found))


def write_page(lang: Lang) -> str:
    """Return the page in one language."""
    at = LANGS.index(lang)
    parts = [_OPENING[at]]
    for area, features in itertools.groupby(read_features(), key=lambda each: each.area):
        rows = "\n".join(_feature_row(each, at) for each in features)
        parts.append(f"## {AREAS[area][at]}\n\n{_FEATURE_HEAD[at]}\n{rows}\n")
    parts.append(_REFUSED[at])
    for title, table in ((_NAMES, IDENTIFIERS), (_HEADERS, HEADERS)):
        parts.append(f"{title[at]}\n\n{_REFUSED_HEAD[at]}\n{_refused_rows(table, lang)}\n")
    rows = "\n".join(f"| `{word}` | {_as_prose(say(f'reason.{key}', lang))} |" for word, key in PTX)
    parts.append(f"{_PTX[at]}\n{_PTX_HEAD[at]}\n{rows}\n")
    return "\n".join(parts)


def _feature_row(feature: Feature, at: int) -> str:
    kind, _, rest = feature.expected.partition(" ")
    ends = _ENDS[kind][at] or f"`{rest}`" if kind in _ENDS else f"`{feature.expected}`"
    right, wrong = f"{feature.name}.cu", f"{feature.name}.bad.cu"
    links = f"[{right}]({_FROM_PAGE}/{right}) | [{wrong}]({_FROM_PAGE}/{wrong})"
    return f"| {_as_prose(feature.lines[at])} | {links} | {ends} |"


def _refused_rows(table: tuple[Refusal, ...], lang: Lang) -> str:
    names: dict[tuple[str, str], list[str]] = {}
    for row in table:
        spelt = [_spare(name, LANGS.index(lang)) for name in names_of(row.pattern)]
        what, _, hint = _reason_of(row, lang).partition(say("clause_mark", lang))
        names.setdefault((what, hint), []).extend(filter(None, spelt))
    return "\n".join(
        f"| {', '.join(dict.fromkeys(found))} | {_as_prose(what)} | {_as_prose(hint)} |"
        for (what, hint), found in names.items()
        if found
    )


def _reason_of(row: Refusal, lang: Lang) -> str:
    if row.instead:
        whole = say("refusal.legacy", lang, name=row.pattern, instead=row.instead)
        return whole.partition(say("colon", lang))[2]
    return say(f"reason.{row.reason}", lang)


def _spare(name: str, at: int) -> str:
    """Return a refused name, without the headers that cudasim has itself."""
    there = [each for each in sorted(INCLUDE.glob(name)) if each.is_file()]
    if name in (each.name for each in there):
        return ""
    kept = ", ".join(f"`{each.relative_to(INCLUDE).as_posix()}`" for each in there)
    return f"`{name}`" + (f" ({('but not', '不含')[at]} {kept})" if kept else "")


def _as_prose(text: str) -> str:
    """Mark code in a text, so that Markdown does not interpret its underscores and brackets."""
    code = r"\w+<+[\w.]*>+|[\w:#*]*_[\w:*]*[\w*](?:\.h)?(?:\([^()]*\))?|#\w+"
    # ASCII: a name ends where Chinese begins.
    return re.sub(code, r"`\g<0>`", text, flags=re.ASCII).replace("|", "\\|")


def names_of(pattern: str) -> tuple[str, ...]:
    r"""Return the names that a pattern of the table matches; ``*`` matches any letters.

    >>> names_of(r"cuda(?:Malloc|Free)Array|tex(?:Lod)?|nccl[A-Z]\w+")
    ('cudaMallocArray', 'cudaFreeArray', 'tex*', 'nccl*')
    """
    return tuple(re.sub(r"\*+", "*", name) for each in _split(pattern) for name in _expand(each))


def _expand(pattern: str) -> Iterator[str]:
    """Yield the names of one alternative; an optional part becomes a star."""
    spelt: list[tuple[str, ...]] = []
    place = 0
    while place < len(pattern):
        end = _piece_end(pattern, place)
        piece = pattern[place:end]
        if pattern[end : end + 1] in ("*", "+", "?"):
            end += 1
            spelt.append(("*",))
        elif piece.startswith("(?:"):
            spelt.append(names_of(piece[3:-1]))
        else:
            spelt.append(("*",) if piece[0] == "[" else (piece.lstrip("\\"),))
        place = end
    yield from map("".join, itertools.product(*spelt))


def _piece_end(pattern: str, place: int) -> int:
    """Return the end of a group, a class, an escape or a character."""
    if pattern[place] == "[":
        return pattern.index("]", place) + 1
    if pattern[place] != "(":
        return place + 1 + (pattern[place] == "\\")
    depth = 0
    for end in range(place, len(pattern)):
        depth += (pattern[end] == "(") - (pattern[end] == ")")
        if depth == 0:
            return end + 1
    raise ValueError(f"{pattern!r} has a bracket that does not close.")


def _split(pattern: str) -> list[str]:
    """Split a pattern at its alternatives, except inside brackets."""
    parts, depth = [""], 0
    for character in pattern:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def page_path(lang: Lang) -> Path:
    """Return the path of the page in one language."""
    return ROOT / "docs" / "handbook" / lang / "cuda-support.md"


def main() -> int:
    """Write the pages; with ``--check`` only report whether they are up to date."""
    stale = [
        lang
        for lang in LANGS
        if not page_path(lang).is_file()
        or page_path(lang).read_text(encoding="utf-8") != write_page(lang)
    ]
    if "--check" in sys.argv:
        for lang in stale:
            print(f"{page_path(lang).relative_to(ROOT)} is out of date", file=sys.stderr)
        return 1 if stale else 0
    for lang in stale:
        page_path(lang).write_text(write_page(lang), encoding="utf-8")
        print(f"wrote {page_path(lang).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
