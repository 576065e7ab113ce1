import re
import unicodedata
from pathlib import Path

import pytest

from torchstone.bank.glossary import Glossary, Term, load_glossary
from torchstone.bank.tokens import spelling_key
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure

STRIDE = '{ zh = ["步长", "步幅"], en = ["stride"], identifiers = ["as_strided"] }'


@pytest.fixture(scope="module")
def glossary() -> Glossary:
    return load_glossary()


def load(tmp_path: Path, *lines: str) -> Glossary:
    path = tmp_path / "glossary.toml"
    path.write_text(f"terms = [{', '.join(lines)}]", encoding="utf-8")
    return load_glossary(path)


def test_a_term_is_meant_by_each_of_its_names_in_any_spelling(tmp_path: Path) -> None:
    glossary = load(tmp_path, STRIDE)
    (term,) = glossary
    for name in ("步长", "步幅", "Stride", "strides", "as_strided", "AsStrided"):
        assert glossary.meaning(spelling_key(name)) == (term,)
    assert glossary.meaning("stri") == ()
    assert glossary.longest_key == len("asstrided")


def test_a_name_may_mean_several_things(tmp_path: Path) -> None:
    glossary = load(
        tmp_path,
        '{ zh = ["调度器"], en = ["scheduler"] }',
        '{ zh = ["分发器", "调度器"], en = ["dispatcher"] }',
    )
    assert [term.id for term in glossary.meaning("调度器")] == ["scheduler", "dispatcher"]


def test_a_text_of_one_language_holds_its_words_and_the_names_in_code(tmp_path: Path) -> None:
    (term,) = load(tmp_path, STRIDE)
    assert term.said_in("zh") == ("步长", "步幅", "as_strided")
    assert term.said_in("en") == ("stride", "as_strided")
    assert (term.title.zh, term.title.en, term.id) == ("步长", "stride", "stride")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{ zh = ["stride"], en = ["stride"] }', "`zh` must be Chinese"),
        ('{ zh = ["步长"], en = ["步长"] }', "`en` must be English"),
        ('{ zh = ["步长"], en = ["stride", "Stride"] }', "each form must occur once"),
        ('{ zh = ["步长"], en = [] }', "length >= 1"),
        ('{ zh = ["步长"], en = [""] }', "length >= 1"),
        ('{ zh = ["步长"] }', "missing required field `en`"),
        ('{ zh = ["步长"], en = ["stride"], identifiers = ["as strided"] }', "matching regex"),
        ('{ zh = ["步长"], en = ["stride"], identifiers = ["torch."] }', "matching regex"),
        ('{ zh = ["步长"], en = ["stride"], note = "?" }', "unknown field `note`"),
        (f"{STRIDE}, {STRIDE}", "must occur once; got ['stride'] twice"),
        ("", "length >= 1"),
    ],
)
def test_a_broken_glossary_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(TorchstoneError) as caught:
        load(tmp_path, line)
    assert reason in str(caught.value)


def test_the_glossary_that_ships_has_the_words_of_the_field(glossary: Glossary) -> None:
    assert len(glossary) >= 150
    for name in ("步长", "钩子", "锁页内存", "标签平滑", "warp", "retain_graph", "nn.Linear"):
        assert glossary.meaning(spelling_key(name)), name


def test_every_word_that_ships_can_be_found_by_what_it_is_made_of(glossary: Glossary) -> None:
    lost = [form for term in glossary for form in term.forms if not spelling_key(form)]
    assert lost == []


def test_the_preferred_english_is_british_and_without_an_article(glossary: Glossary) -> None:
    american = re.compile(r"\w(?:ization|izer|izing|ized|(?<!s)ize)\b")
    assert [term.id for term in glossary if american.search(term.en[0])] == []
    articles = ("the ", "a ", "an ")
    assert [term.id for term in glossary if term.en[0].lower().startswith(articles)] == []


def test_every_term_has_an_id_that_an_address_can_hold(glossary: Glossary) -> None:
    odd = [term.id for term in glossary if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", term.id)]
    assert odd == []


def test_the_chinese_that_ships_is_in_its_normal_form(glossary: Glossary) -> None:
    forms = [form for term in glossary for form in term.zh]
    assert [form for form in forms if unicodedata.normalize("NFKC", form) != form] == []


def test_a_term_cannot_be_changed() -> None:
    term = Term(zh=("步长",), en=("stride",))
    with pytest.raises(AttributeError):
        term.en = ()  # type: ignore[misc]
