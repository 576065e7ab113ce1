from pathlib import Path

import pytest

from tests.bank.conftest import write_problem
from torchstone.app.home import Home
from torchstone.app.search.documents import Findable, findables
from torchstone.bank.glossary import Glossary, Term, load_glossary
from torchstone.store.search_index import DocumentKind

pytestmark = pytest.mark.pure

CLOSED = (
    "editorial.en.md",
    "editorial.zh.md",
    "solution.py",
    "starter.py",
    "good/by_sum.py",
    "wrong/triple.py",
    "cheats/exit.py",
    "hints.toml",
    "rubric.toml",
    "cases.py",
    "oracle.py",
)


@pytest.fixture
def double(tmp_path: Path) -> Findable:
    write_problem(tmp_path)
    (found,) = findables(Home(bank_root=tmp_path), Glossary(terms=()))
    return found


def test_a_problem_is_found_by_what_is_shown_of_it(double: Findable) -> None:
    assert (double.kind, double.id) == (DocumentKind.PROBLEM, "01")
    english, chinese = double.texts["en"], double.texts["zh"]
    assert (english.title, chinese.title) == ("Doubling", "加倍")
    assert english.names == chinese.names == ("01", "double", "double")
    assert "Write `double`" in english.body
    assert "写出" in chinese.body
    assert "double(x)" in english.keywords


def test_a_problem_is_found_by_the_places_of_its_questions(double: Findable) -> None:
    # The problem serves question 2.2.1.2.1.
    assert "2.2.1.2.1" in double.texts["en"].keywords
    assert "Tensors" in double.texts["en"].keywords
    assert "Reductions" in double.texts["en"].keywords
    assert "归约" in double.texts["zh"].keywords


@pytest.mark.parametrize("file", CLOSED)
def test_nothing_that_is_still_closed_can_be_found(tmp_path: Path, file: str) -> None:
    path = write_problem(tmp_path) / file
    content = path.read_text(encoding="utf-8")
    for said in ("Think of nudge", "Why", "def double", "raise SystemExit", "minutes"):
        content = content.replace(said, f"{said} canary", 1)
    if "canary" not in content:
        content = content.replace("\n", "\n# canary\n", 1)
    path.write_text(content, encoding="utf-8")
    home = Home(bank_root=tmp_path)
    assert "canary" not in repr(findables(home, Glossary(terms=())))
    assert "canary" in path.read_text(encoding="utf-8")


def test_a_term_is_found_by_every_name_it_has() -> None:
    term = Term(zh=("步长", "步幅"), en=("stride",), identifiers=("as_strided",))
    found = findables(Home(bank_root=Path("/nonexistent")), Glossary(terms=(term,)))
    (one,) = found
    assert (one.kind, one.id) == (DocumentKind.TERM, "stride")
    assert (one.texts["zh"].title, one.texts["zh"].names) == ("步长", ("步幅", "as_strided"))
    assert (one.texts["en"].title, one.texts["en"].names) == ("stride", ("as_strided",))


def test_a_broken_problem_costs_that_problem_only(tmp_path: Path) -> None:
    write_problem(tmp_path)
    (write_problem(tmp_path, "02_broken") / "problem.toml").write_text("?", encoding="utf-8")
    found = findables(Home(bank_root=tmp_path), Glossary(terms=()))
    assert [one.id for one in found] == ["01"]


def test_everything_that_ships_can_be_found_under_an_id_of_its_own() -> None:
    found = findables(Home(), load_glossary())
    kinds = {(one.kind, one.id) for one in found}
    assert len(kinds) == len(found)
    assert sum(kind is DocumentKind.PROBLEM for kind, _ in kinds) >= 10
