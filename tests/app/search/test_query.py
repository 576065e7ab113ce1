import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.app.search.query import Reading, read_query, term_expression
from torchstone.bank.glossary import Glossary, Term
from torchstone.store.search_index import Expression

pytestmark = pytest.mark.pure

GLOSSARY = Glossary(
    terms=(
        Term(zh=("步长", "步幅"), en=("stride",), identifiers=("as_strided",)),
        Term(zh=("梯度",), en=("gradient", "grad")),
        Term(zh=("梯度爆炸",), en=("exploding gradient",)),
        Term(zh=("线性层",), en=("linear layer",), identifiers=("nn.Linear",)),
        Term(zh=("调度器",), en=("scheduler",)),
        Term(zh=("分发器", "调度器"), en=("dispatcher",)),
        Term(zh=("KL 散度",), en=("KL divergence",)),
        Term(zh=("存储体冲突",), en=("bank conflict",), problems=("44",)),
    )
)


def said(expression: Expression) -> list[list[str]]:
    """Write the clauses as a reader would: phrases, a star where a word may go on."""
    return [
        [" ".join(phrase.tokens) + "*" * phrase.is_prefix for phrase in clause]
        for clause in expression.clauses
    ]


def strict(query: str) -> list[list[str]]:
    return said(read_query(query, GLOSSARY).strict)


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        # A term in one language is every name of the term.
        ("步长", [["步长", "步幅", "stride", "as strided", "asstrided"]]),
        ("strides ", [["stride", "步长", "步幅", "as strided", "asstrided", "strides*"]]),
        ("KL散度", [["kl 散度", "kl divergence"]]),
        # The word of the index for a term that problems teach.
        (
            "bank conflict",
            [["bank conflict", "存储 储体 体冲 冲突", "bank conflict*", "termbankconflict"]],
        ),
        # The longest term counts, not the one it begins with.
        ("梯度爆炸", [["梯度 度爆 爆炸", "exploding gradient"]]),
        # A name with two meanings has both.
        ("调度器", [["调度 度器", "scheduler", "分发 发器", "dispatcher"]]),
        # What is no term is a phrase of its own; words that say nothing are left out.
        ("怎样防止梯度爆炸", [["防止"], ["梯度 度爆 爆炸", "exploding gradient"]]),
        ("the view of x", [["view"], ["x"]]),
        ("第7题", [["7", "7*"][:1]]),
        # A word that is not finished may go on, in one clause with the word itself.
        ("softm", [["softm", "softm*"]]),
        ("log_soft", [["log soft", "logsoft", "logsoft*"]]),
        ("torch.nn", [["torch nn", "torch nn*"]]),
        ("4.2", [["4·2", "4·2*"]]),
        ("s", [["s"]]),
        # Dotted names are phrases, and terms are seen in them.
        ("nn.Linear", [["nn linear", "线性 性层", "linear layer", "nn linear*"]]),
        # Words without weight are all there is: then they count.
        ("的", [["的"]]),
        ("how to", [["how"], ["to", "to*"]]),
        ("", []),
        ("，。!?", []),
        ("\0\ud800😀", []),
    ],
)
def test_a_query_is_read_as_the_names_of_what_it_asks_for(
    query: str, clauses: list[list[str]]
) -> None:
    assert strict(query) == clauses


def test_the_loose_reading_is_met_by_any_part_of_the_query() -> None:
    reading = read_query("怎样防止梯度爆炸", GLOSSARY)
    (phrases,) = said(reading.loose)
    assert not reading.loose.needs_all
    assert {"防止", "exploding gradient", "梯度", "爆炸"} <= set(phrases)
    assert "怎" not in phrases


def test_no_phrase_of_a_clause_holds_another_that_would_count_twice() -> None:
    (clause,) = strict("gradient")
    assert clause == ["gradient", "梯度", "grad", "gradient*"]
    (loose,) = said(read_query("梯度爆炸", GLOSSARY).loose)
    assert "梯度 度爆 爆炸" not in loose


def test_a_reader_looks_for_the_names_as_texts_write_them() -> None:
    spoken = read_query("nn.Linear 的 步长 x", GLOSSARY).spoken
    assert spoken == (
        "nn.Linear",
        "线性层",
        "linear layer",
        "步长",
        "步幅",
        "stride",
        "as_strided",
        "x",
    )


def test_the_words_as_written_have_no_other_names() -> None:
    written = said(read_query("bank conflict 步长 softm", GLOSSARY).written)
    assert written == [["bank conflict"], ["步长"], ["softm", "softm*"]]


def test_a_term_is_looked_for_under_all_its_names() -> None:
    assert said(term_expression(GLOSSARY.terms[0])) == [
        ["步长", "步幅", "stride", "as strided", "asstrided"]
    ]


@given(st.text(max_size=300))
def test_any_text_can_be_read(query: str) -> None:
    reading = read_query(query, GLOSSARY)
    assert isinstance(reading, Reading)
    assert all(clause for clause in reading.strict.clauses)
    assert all(name.strip() for name in reading.spoken)


def test_a_query_without_end_has_bounded_clauses() -> None:
    for char in ("梯", "梯度", "a ", "a.", "步长x"):
        reading = read_query(char * 1_000_000, GLOSSARY)
        assert len(reading.strict.clauses) <= 200
        assert len(reading.loose.clauses[0]) <= 400
