import re
import unicodedata
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.glossary import Glossary, Term, load_glossary
from torchstone.bank.handbook import load_handbook
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


SENTENCE = '{ en = "The distance of neighbours.", zh = "相邻元素的距离。" }'


def test_a_term_has_a_sentence_and_problems(tmp_path: Path) -> None:
    taught = STRIDE.replace(" }", ', problems = ["03"] }')
    path = tmp_path / "glossary.toml"
    path.write_text(f"terms = [{taught}]\n[sentences]\nstride = {SENTENCE}", encoding="utf-8")
    glossary = load_glossary(path)
    (term,) = glossary
    assert term.problems == ("03",)
    sentence = glossary.sentence(term)
    assert sentence is not None
    assert sentence.zh == "相邻元素的距离。"
    assert load(tmp_path, STRIDE).sentence(term) is None


def test_an_abbreviation_means_the_term_and_is_no_word_of_texts(tmp_path: Path) -> None:
    (term,) = load(tmp_path, '{ zh = ["交叉熵"], en = ["cross entropy"], abbreviations = ["CE"] }')
    assert load_glossary(tmp_path / "glossary.toml").meaning(spelling_key("CE")) == (term,)
    assert term.forms == ("交叉熵", "cross entropy")
    assert term.said_in("zh") == ("交叉熵", "CE")


def test_a_sentence_without_a_term_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "glossary.toml"
    path.write_text(f"terms = [{STRIDE}]\n[sentences]\nstrides = {SENTENCE}", encoding="utf-8")
    with pytest.raises(TorchstoneError, match="must have the id of a term; got \\['strides'\\]"):
        load_glossary(path)


def test_every_term_that_ships_has_one_sentence_in_each_language(glossary: Glossary) -> None:
    assert [term.id for term in glossary if glossary.sentence(term) is None] == []
    for name, sentence in glossary.sentences.items():
        assert re.fullmatch(r"[^.]*(?:\.\w[^.]*)*\.", sentence.en), name
        assert re.fullmatch("[^。]+。", sentence.zh), name
        assert len(sentence.en) <= 110, (name, len(sentence.en))
        assert len(sentence.zh) <= 50, name


def test_the_problems_and_chapters_of_the_terms_that_ship_exist(glossary: Glossary) -> None:
    known = {problem.id for problem in shipped_bank()}
    named = {name for term in glossary for name in term.problems}
    assert named <= known
    assert {name for term in glossary for name in term.chapters} <= load_handbook().chapters.keys()
    # Every problem of the project is the lead of some term; a learner's own begins after them.
    assert {name for name in known if int(name[:2]) <= 50} <= named


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
