"""Each problem of a path exists, and what it needs comes before it."""

from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.paths import FILE_NAME, load_paths, path_faults, present_paths
from torchstone.bank.schema import Words
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure

HEAD = '[[paths]]\nid = "{id}"\ntitle = {{en = "A", zh = "甲"}}\nlead = {{en = "B", zh = "乙"}}\n'
STEP = '[[paths.steps]]\nproblem = "{problem}"\nwhy = {{en = "C", zh = "丙"}}\n'


def write(root: Path, *paths: tuple[str, list[str]]) -> Path:
    """Write paths of these ids and problems."""
    parts = [
        HEAD.format(id=name) + "".join(STEP.format(problem=each) for each in problems)
        for name, problems in paths
    ]
    root.mkdir(exist_ok=True)
    (root / FILE_NAME).write_text("".join(parts), encoding="utf-8")
    return root


def test_the_paths_of_the_bank_respect_the_prerequisites() -> None:
    prerequisites = {problem.id: problem.spec.prerequisites for problem in shipped_bank()}
    paths = load_paths()
    ids = ["first-week", "autograd", "training", "engineering", "numbers", "cuda"]
    assert [path.id for path in paths] == ids
    assert list(path_faults(paths, prerequisites)) == []
    assert present_paths(paths, prerequisites.keys()) == paths
    assert [len(path.steps) for path in paths] == [7, 7, 16, 16, 17, 17]


def test_every_reason_is_one_sentence_in_both_languages() -> None:
    for path in load_paths():
        for words in (path.lead, *(step.why for step in path.steps)):
            assert isinstance(words, Words)
            # A terminal, a list and a sentence of the next problem show it as it is.
            assert "`" not in words.en + words.zh
            assert words.en.endswith(".")
            assert words.en.count(". ") == 0
            assert words.zh.endswith("。")
            assert words.zh.count("。") == 1


def test_faults_are_named(tmp_path: Path) -> None:
    paths = load_paths(write(tmp_path / "faulty", ("one", ["02", "01", "99"])))
    assert list(path_faults(paths, {"01": (), "02": ("01",)})) == [
        "one: 02 needs 01, which does not come before it",
        "one: there is no problem 99",
    ]


def test_a_bank_without_some_problems_has_the_others(tmp_path: Path) -> None:
    paths = load_paths(write(tmp_path / "bank", ("one", ["01", "02"]), ("two", ["03"])))
    (left,) = present_paths(paths, {"02"})
    assert (left.id, left.problem_ids) == ("one", ("02",))
    assert load_paths(tmp_path / "nowhere") == ()


@pytest.mark.parametrize(
    "paths",
    [
        [("none", ["01"])],
        [("Upper", ["01"])],
        [("one", ["01", "01"])],
        [("one", ["1"])],
        [("one", ["01"]), ("one", ["02"])],
        [("one", [])],
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, paths: list[tuple[str, list[str]]]) -> None:
    with pytest.raises(TorchstoneError, match=r"paths\.toml"):
        load_paths(write(tmp_path / "broken", *paths))
