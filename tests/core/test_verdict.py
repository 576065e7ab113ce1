import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import torchstone
from torchstone.core.verdict import Aspect, ExitCode, Family, Verdict, worst

pytestmark = pytest.mark.pure

PRECEDENCE = (
    "IE CE FORBIDDEN_OP OOB RACE UNINIT MLE TLE OLE HUNG RTE INPUT_MUTATED WA SLOW AC".split()
)
ASPECTS = "property shape dtype value grad determinism".split()
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(torchstone.__file__).parent
# The public interface, which another test holds to the enums.
PUBLISHED = ROOT / "docs/handbook/interface.toml"
# Pages that `tools/verdicts_doc.py` writes, and types that are written from `openapi.json`.
WRITTEN = {
    ROOT / "docs/handbook/en/verdicts.md",
    ROOT / "docs/handbook/zh/verdicts.md",
    ROOT / "frontend/src/api.d.ts",
}
CODES = frozenset((*PRECEDENCE, *ASPECTS))
# Two codes may belong together in a condition; three are a list.
FEWEST = 3


def test_the_precedence_is_the_published_one() -> None:
    assert [verdict.value for verdict in Verdict] == PRECEDENCE
    assert [verdict.precedence for verdict in Verdict] == list(range(len(PRECEDENCE)))


def test_the_precedence_of_aspects_is_the_published_one() -> None:
    assert [aspect.value for aspect in Aspect] == ASPECTS
    assert [aspect.precedence for aspect in Aspect] == list(range(len(ASPECTS)))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("is_overriding", "IE CE FORBIDDEN_OP"),
        (
            "is_try",
            "FORBIDDEN_OP OOB RACE UNINIT MLE TLE OLE HUNG RTE INPUT_MUTATED WA SLOW AC",
        ),
        ("can_be_shrunk", "OOB RACE UNINIT MLE RTE INPUT_MUTATED WA"),
        ("is_replayable", "CE FORBIDDEN_OP OOB RACE UNINIT RTE INPUT_MUTATED WA AC"),
    ],
)
def test_what_follows_from_a_verdict_is_what_is_published(name: str, wanted: str) -> None:
    assert [str(verdict) for verdict in Verdict if getattr(verdict, name)] == wanted.split()


def test_each_family_has_its_verdicts() -> None:
    families = {
        str(family): " ".join(each for each in Verdict if each.family is family)
        for family in Family
    }
    assert families == {
        "accepted": "AC",
        "wrong": "WA",
        "crash": "CE RTE",
        "limit": "MLE TLE OLE HUNG SLOW",
        "hazard": "OOB RACE UNINIT",
        "banned": "FORBIDDEN_OP INPUT_MUTATED",
        "fault": "IE",
    }


@given(st.lists(st.sampled_from(Verdict), min_size=1))
def test_worst_is_one_of_them_and_none_is_worse(verdicts: list[Verdict]) -> None:
    found = worst(verdicts)
    assert found in verdicts
    assert all(PRECEDENCE.index(found) <= PRECEDENCE.index(other) for other in verdicts)


def test_worst_of_nothing_is_refused_rather_than_accepted() -> None:
    with pytest.raises(ValueError, match="no verdicts; expected at least one"):
        worst([])


@pytest.mark.parametrize("verdict", Verdict)
def test_only_accepted_ends_with_zero_and_only_our_fault_with_three(verdict: Verdict) -> None:
    wanted = {Verdict.AC: ExitCode.ACCEPTED, Verdict.IE: ExitCode.OUR_FAULT}
    assert verdict.exit_code == wanted.get(verdict, ExitCode.NOT_ACCEPTED)
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3]


def lists_in_python(text: str) -> Iterator[int]:
    """Find the lines of sequences, sets and strings that list codes."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            names = [name for each in node.elts for name in code_of(each)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            names = words if set(words) <= CODES else []
        if len(set(names)) >= FEWEST:
            yield getattr(node, "lineno", 0)


def code_of(node: ast.expr) -> list[str]:
    """Return the code that an element of a list is, or nothing."""
    if isinstance(node, ast.Starred):
        return []
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        is_member = node.value.id in ("Verdict", "Aspect")
        return [node.attr] if is_member else []
    is_text = isinstance(node, ast.Constant) and node.value in CODES
    return [str(node.value)] if is_text and isinstance(node, ast.Constant) else []


def lists_in_prose(text: str) -> Iterator[int]:
    """Find the lines where codes follow each other with nothing but marks or *and* between."""
    one = rf"[`\"']?(?:{'|'.join(sorted(CODES, key=len, reverse=True))})\b[`\"']?"
    between = r"(?:\s*[,、|;；]\s*|\s+(?:and|or|then)\s+|\s*(?:和|与|或)\s*|,\s+and\s+)"
    for match in re.finditer(rf"(?<![\w-]){one}(?:{between}{one}){{{FEWEST - 1},}}", text):
        if len(set(re.findall(r"\w+", match[0])) & CODES) >= FEWEST:
            yield text.count("\n", 0, match.start()) + 1


def searched_files() -> Iterator[Path]:
    for folder in ("src", "tools", "benchmarks", "frontend/src", "docs"):
        for path in sorted((ROOT / folder).rglob("*")):
            is_bank = path.is_relative_to(PACKAGE / "content")
            is_built = path.is_relative_to(PACKAGE / "web/page") or "node_modules" in path.parts
            if path.suffix in SUFFIXES and not is_bank and not is_built:
                yield path
    # The changelog tells what once was.
    yield from sorted(set(ROOT.glob("*.md")) - {ROOT / "CHANGELOG.md"})


SUFFIXES = (".py", ".ts", ".svelte", ".js", ".md", ".toml")


def test_no_other_file_lists_verdicts_or_aspects() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in searched_files()
        if path not in (PUBLISHED, *WRITTEN)
        for line in (lists_in_python if path.suffix == ".py" else lists_in_prose)(
            path.read_text(encoding="utf-8")
        )
    ]
    assert found == []


def test_the_published_lists_are_those_of_the_enums() -> None:
    published = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert (published["verdicts"], published["aspects"]) == (PRECEDENCE, ASPECTS)
    assert next(lists_in_prose(PUBLISHED.read_text(encoding="utf-8"))) > 0


@pytest.mark.parametrize(
    "text",
    [
        'X = ("WA", "RTE", "MLE")',
        'X = ["shape", "dtype", "value"]',
        "X = {Verdict.WA, Verdict.AC, Verdict.IE}",
        'X = "WA RTE MLE".split()',
    ],
)
def test_a_list_in_python_is_found(text: str) -> None:
    assert list(lists_in_python(text)) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "the order is `MLE`, `RTE`, `INPUT_MUTATED`, `WA`",
        "property, shape, dtype",
        "`CE`、`IE` 和 `FORBIDDEN_OP`",
        '["TLE", "MLE", "OLE"].includes(code)',
        "`CE`, `IE` and `OLE`",
    ],
)
def test_a_list_in_prose_is_found(text: str) -> None:
    assert list(lists_in_prose(text)) == [1]


@pytest.mark.parametrize("text", ["| `WA` | no |\n| `CE` | yes |\n| `IE` | no |", "WA, then TLE"])
def test_a_table_with_a_row_for_each_code_is_no_list(text: str) -> None:
    assert list(lists_in_prose(text)) == []
