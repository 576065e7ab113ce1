"""The documentation keeps its word: cells run, links resolve, both languages are one text."""

import contextlib
import importlib
import io
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from torchstone.bank.markdown import Cell, outline, python_cells
from torchstone.core.config import Settings
from torchstone.judge.messages import Report

ROOT = Path(__file__).resolve().parents[2]
HANDBOOK = ROOT / "docs" / "handbook"
TOP = (
    *("README", "CONTRIBUTING", "SECURITY", "docs/install", "docs/rfc/0001-nested-quantized"),
    "src/torchstone/nested/README",
)
# Written from the commands themselves: what a block shows is said in the reader's language.
GENERATED = ("commands.md",)

_LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
_HOST = re.compile(r"pypi\.org|pythonhosted|npmjs|pytorch\.org/whl|debian\.org|docker\.io|conda\.")
_MACHINE = re.compile(r"(?<![\w.~])/(?:work|root|Users|home/\w+|mnt)(?:/|\b)")


def pairs() -> list[tuple[Path, Path]]:
    """List the pages that exist in both languages, English first."""
    top = [(ROOT / f"{name}.md", ROOT / f"{name}.zh.md") for name in TOP]
    names = {page.name for lang in ("en", "zh") for page in (HANDBOOK / lang).glob("*.md")}
    return top + [(HANDBOOK / "en" / name, HANDBOOK / "zh" / name) for name in sorted(names)]


def pages() -> list[Path]:
    """List every page of the documentation."""
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    both = [page for pair in pairs() for page in pair]
    tours = [page for page in sorted((ROOT / "src").rglob("README.md")) if page not in both]
    return [*both, *decisions, *tours, ROOT / "CHANGELOG.md"]


def name_of(page: Path) -> str:
    """Name a page by its path in the repository."""
    return page.relative_to(ROOT).as_posix()


def with_cells() -> list[object]:
    """List the pages that have Python cells, marked by what their cells need.

    Of pages with the same cells, as those of both languages are, one is enough.
    """
    found: list[object] = []
    seen: set[tuple[str, ...]] = set()
    for page in pages():
        cells = python_cells(page.read_text(encoding="utf-8")) if page.is_file() else ()
        needs = {word for cell in cells for word in cell.info.split()[1:]}
        sources = tuple(cell.source for cell in cells)
        if cells and sources not in seen:
            seen.add(sources)
            marks = [getattr(pytest.mark, need) for need in sorted(needs)] or [pytest.mark.pure]
            found.append(pytest.param(page, marks=marks, id=name_of(page)))
    return found


@pytest.mark.gate(
    "README*",
    "src/*",
    "*/attention.md",
    "*/masks.md",
    "*/microtorch.md",
    "*/operations.md",
    "*/positions.md",
    "*/problem-format.md",
    "*/server.md",
    "*/store.md",
    "*/wire.md",
)
@pytest.mark.parametrize("page", with_cells())
def test_every_python_cell_of_a_page_runs(page: Path, request: pytest.FixtureRequest) -> None:
    """The cells of a page share one namespace, as a reader would run them."""
    if request.node.get_closest_marker("torch"):
        # However long the build takes: a page that begins meanwhile would raise a warning.
        importlib.import_module("torchstone.kernels").load()
    scope: dict[str, object] = {"__name__": "__main__"}
    for cell in python_cells(page.read_text(encoding="utf-8")):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(_padded(cell), str(page), "exec"), scope)


def _padded(cell: Cell) -> str:
    # A traceback then shows the line of the page.
    return "\n" * cell.line + cell.source


@pytest.mark.pure
@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: name_of(pair[0]))
def test_english_and_chinese_are_one_text(pair: tuple[Path, Path]) -> None:
    english, chinese = (outline(page.read_text(encoding="utf-8")) for page in pair)
    levels = [[heading.level for heading in side.headings] for side in (english, chinese)]
    assert levels[0] == levels[1]
    infos = [[cell.info for cell in side.cells] for side in (english, chinese)]
    assert infos[0] == infos[1]
    if pair[0].name not in GENERATED:
        assert [cell.source for cell in english.cells] == [cell.source for cell in chinese.cells]
    assert all(cell.is_closed for side in (english, chinese) for cell in side.cells)


@pytest.mark.pure
@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_of_a_page_resolves(page: Path) -> None:
    prose = outline(page.read_text(encoding="utf-8")).prose
    targets = [target for target in _LINK.findall(prose) if "://" not in target]
    broken = [target for target in targets if not _resolves(page, target)]
    assert broken == []


def _resolves(page: Path, target: str) -> bool:
    file, _, anchor = target.partition("#")
    found = (page.parent / file).resolve() if file else page
    if not found.exists() or not found.is_relative_to(ROOT):
        return False
    if not anchor:
        return True
    headings = outline(found.read_text(encoding="utf-8")).headings
    return anchor in {slug(heading.title) for heading in headings}


def slug(title: str) -> str:
    """Make the anchor of a heading as the usual renderers do."""
    kept = "".join(char for char in title.lower() if char.isalnum() or char in " -_")
    return kept.strip().replace(" ", "-")


@pytest.mark.pure
@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_a_page_names_no_registry_and_no_folder_of_a_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert _HOST.findall(text) == []
    assert _MACHINE.findall(text) == []


@pytest.mark.pure
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_index_of_the_handbook_names_every_page(lang: str) -> None:
    index = (HANDBOOK / lang / "index.md").read_text(encoding="utf-8")
    names = {page.name for page in (HANDBOOK / lang).glob("*.md")} - {"index.md"}
    assert {name for name in names if f"({name})" not in index} == set()


@pytest.mark.pure
def test_every_decision_stands_in_the_list_of_decisions() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text(encoding="utf-8")
    names = {page.name for page in folder.glob("*.md")} - {"README.md"}
    assert {name for name in names if f"({name})" not in listed} == set()


@pytest.mark.pure
def test_the_pages_of_verdicts_are_what_the_program_says() -> None:
    command = [sys.executable, ROOT / "tools" / "verdicts_doc.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.pure
@pytest.mark.parametrize(
    "script", ["diffusion_figures.py", "kernel_figures.py", "layernorm_figures.py"]
)
def test_the_figures_are_what_their_scripts_draw(script: str) -> None:
    command = [sys.executable, ROOT / "tools" / script, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.pure
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_of_operations_names_every_environment_variable(lang: str) -> None:
    page = (HANDBOOK / lang / "operations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"TORCHSTONE_[A-Z_]*[A-Z]", page)) == _variables()


def _variables() -> set[str]:
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "Makefile"]
    found = {
        name
        for path in sources
        for name in re.findall(r"TORCHSTONE_[A-Z_]*[A-Z]", path.read_text(encoding="utf-8"))
    }
    # A setting's variable is made of its name.
    return found | {f"TORCHSTONE_{field.name.upper()}" for field in fields(Settings)}


@pytest.mark.pure
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_of_the_judge_names_every_key_of_a_report(lang: str) -> None:
    page = (HANDBOOK / lang / "judge.md").read_text(encoding="utf-8")
    table = page.split("| `problem` |")[1].split("\n\n")[0]
    first_cells = [line.split("|")[1] for line in f"|`problem`|{table}".splitlines()]
    named = {key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)}
    assert named == set(Report.__struct_fields__)


@pytest.mark.pure
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_of_the_wire_names_every_kind_of_frame(lang: str) -> None:
    page = (HANDBOOK / lang / "wire.md").read_text(encoding="utf-8")
    judge = ROOT / "src" / "torchstone" / "judge"
    sources = [*judge.glob("*.py"), *judge.glob("child/**/*.py"), *judge.glob("reference/*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert set(re.findall(r"^\| `([A-Z])` \|", page, re.MULTILINE)) == set(
        re.findall(r'\bb"([A-Z])"', text)
    )
