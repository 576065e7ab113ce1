import re
from collections import Counter
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.concepts import Concepts, load_concepts
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure


@pytest.fixture(scope="module")
def concepts() -> Concepts:
    return load_concepts()


def load(tmp_path: Path, names: dict[str, tuple[str, str]]) -> Concepts:
    lines = [f'"{number}" = {{ en = "{en}", zh = "{zh}" }}' for number, (en, zh) in names.items()]
    path = tmp_path / "concepts.toml"
    path.write_text("[names]\n" + "\n".join(lines), encoding="utf-8")
    return load_concepts(path)


def numbered(*numbers: str) -> dict[str, tuple[str, str]]:
    return {number: (f"Name {number}", f"名 {number}") for number in numbers}


def test_concepts_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    numbers = [str(number) for number in range(10, 0, -1)]
    concepts = load(tmp_path, numbered(*numbers, "2.1", "2.1.1"))
    ids = [concept.id for concept in concepts]
    assert ids[:5] == ["1", "2", "2.1", "2.1.1", "3"]
    assert ids[-1] == "10"
    assert [chapter.chapter for chapter in concepts.chapters] == list(range(1, 11))


def test_the_number_of_a_question_names_its_topic(concepts: Concepts) -> None:
    path = concepts.path("4.2.2.2.1")
    assert [place.id for place in path] == ["4", "4.2", "4.2.2", "4.2.2.2"]
    assert path[-1].chapter == 4


@pytest.mark.parametrize("number", ["99", "99.1.1.1.1", "", ".", "x", "4 "])
def test_a_number_that_nobody_gave_names_nothing(concepts: Concepts, number: str) -> None:
    assert concepts.path(number) == ()


def test_of_a_number_known_in_part_the_known_part_is_given(concepts: Concepts) -> None:
    assert [place.id for place in concepts.path("4.99.1")] == ["4"]


def test_the_chapters_of_a_problem_are_listed_once_and_in_order(concepts: Concepts) -> None:
    numbers = ["10.2.1.1.3", "2.2.1.1.1", "2.4.2.2.1", "99.1.1.1.1"]
    assert concepts.chapters_of(numbers) == (2, 10)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        (("1", "3"), "`3` needs `2`"),
        (("2",), "`2` needs `1`"),
        (("1", "1.1.1"), "`1.1.1` needs `1.1`"),
        (("1", "1.2"), "`1.2` needs `1.1`"),
        (("1", "01"), "matching regex"),
        (("1", "1.1.1.1.1"), "matching regex"),
        ((), "length >= 1"),
    ],
)
def test_numbers_with_a_gap_or_of_another_form_are_refused(
    tmp_path: Path, numbers: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(TorchstoneError) as caught:
        load(tmp_path, numbered(*numbers))
    assert reason in str(caught.value)


def test_a_name_in_one_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TorchstoneError, match="`zh` must be Chinese"):
        load(tmp_path, {"1": ("Tensors", "Tensors")})


def test_every_place_of_the_question_book_has_its_name(concepts: Concepts) -> None:
    depths = Counter(concept.id.count(".") for concept in concepts)
    assert depths == {0: 10, 1: 37, 2: 79, 3: 187}


def test_no_two_places_are_called_the_same(concepts: Concepts) -> None:
    for names in ([c.name.en for c in concepts], [c.name.zh for c in concepts]):
        assert [name for name, times in Counter(names).items() if times > 1] == []


def test_english_names_are_in_sentence_case_without_an_article(concepts: Concepts) -> None:
    odd = [
        concept.name.en
        for concept in concepts
        if re.match(r"(?:the|an?)\b", concept.name.en, re.IGNORECASE)
        or concept.name.en.endswith(".")
        # torch.compile and vmap are written as code writes them.
        or not (concept.name.en[0].isupper() or concept.name.en.startswith(("torch.", "vmap")))
    ]
    assert odd == []


def test_every_question_that_a_problem_serves_has_a_topic(concepts: Concepts) -> None:
    lost = [
        (problem.id, number)
        for problem in shipped_bank()
        for number in problem.spec.concepts
        if len(concepts.path(number)) < 4
    ]
    assert lost == []
