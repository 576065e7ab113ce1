import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank import tokens
from torchstone.bank.tokens import (
    MAX_QUERY_LENGTH,
    TOKENISER_VERSION,
    clean_query,
    index_tokens,
    query_words,
    singular,
    spelling_key,
)

pytestmark = pytest.mark.pure

# As a Chinese input method writes Latin letters in its full-width mode.
WIDE = "".join(chr(ord(char) + 0xFEE0) for char in "LayerNorm")

# What is stored was made by these rules: when a line must change, raise TOKENISER_VERSION.
TOKENS = [
    ("步长", "步长 步 长"),
    ("层", "层"),
    ("层归一化", "层归 归一 一化 层 归 一 化"),
    ("用 Hook 记录", "用 hook 记录 记 录"),
    ("ReLU与梯度", "relu 与梯 梯度 re lu 与 梯 度"),
    ("log_softmax", "log softmax logsoftmax"),
    ("torch.nn.Linear", "torch nn linear"),
    ("LogSumExp", "logsumexp log sum exp"),
    ("label-smoothing", "label smoothing labelsmoothing"),
    ("__shfl_down_sync", "shfl down sync shfldownsync"),
    ("BatchNorm2d", "batchnorm2d batch norm 2d"),
    ("RNNs, GPUs and ReLUs", "rnn gpu and relu re lu"),
    ("07", "7"),
    ("007 0 00", "7 0 0"),
    ("4.2.2.1", "4·2·2·1"),
    ("3.4e38", "3 4e38 4e 38"),
    ("float('nan')", "float nan"),
    (WIDE, "layernorm layer norm"),
    ("naïve", "naïve"),
    ("\U00020000\U00020001", "\U00020000\U00020001 \U00020000 \U00020001"),
    ("", ""),
    ("___ -- ... ，。", ""),
    ("a\0b \ud800c", "a b c"),
]

QUERY = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="的梯度层归aZ_.-07 \0\ud800\"'*:()^😀𠀀é", max_size=60),
)


@pytest.mark.parametrize(("text", "wanted"), TOKENS)
def test_a_text_is_taken_apart_in_the_one_way_that_indexes_are_made_of(
    text: str, wanted: str
) -> None:
    assert TOKENISER_VERSION == 1
    assert index_tokens(text) == wanted.split()


@pytest.mark.parametrize(
    "spellings",
    [
        (
            "layer norm",
            "LayerNorm",
            "layer_norm",
            "layernorm",
            "Layer-Norms",
            WIDE,
        ),
        ("KL 散度", "KL散度", "kl散度"),
        ("saved tensors", "saved_tensors", "SavedTensor"),
        ("torch.compile", "torch compile"),
    ],
)
def test_all_spellings_of_a_term_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len({spelling_key(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("hooks", "hook"),
        ("gpus", "gpu"),
        ("losses", "loss"),
        ("batches", "batch"),
        ("caches", "cache"),
        ("hashes", "hash"),
        ("copies", "copy"),
        ("ties", "tie"),
        ("biases", "bias"),
        ("loss", "loss"),
        ("axis", "axis"),
        ("bias", "bias"),
        ("gas", "gas"),
    ],
)
def test_the_plural_of_an_english_word_is_its_singular(plural: str, word: str) -> None:
    assert singular(plural) == word


@given(QUERY)
def test_tokens_hold_neither_spaces_nor_signs_of_a_query_language(text: str) -> None:
    for token in index_tokens(text):
        assert token
        assert not set(token) & set(" \t\n\0\"'*:()^_.-")
        token.encode()


@given(QUERY)
def test_what_a_text_says_is_found_in_it(text: str) -> None:
    found = set(index_tokens(text))
    for word in query_words(clean_query(text)):
        assert any(set(spelling) <= found for spelling in word.spellings)


@given(QUERY)
def test_a_query_is_one_line_of_bounded_length_and_cleaning_it_again_changes_nothing(
    text: str,
) -> None:
    cleaned = clean_query(text)
    assert len(cleaned) <= MAX_QUERY_LENGTH
    assert cleaned.isprintable()
    cleaned.encode()
    assert clean_query(cleaned) == cleaned


@pytest.mark.parametrize("char", ["梯", "a ", "_", "\0", "\ufdfa", "😀", '"'])
def test_a_query_of_a_million_characters_is_cut(char: str) -> None:
    assert len(clean_query(char * 1_000_000)) <= MAX_QUERY_LENGTH
    assert len(query_words(char * 1_000_000)) <= MAX_QUERY_LENGTH


def test_no_more_is_normalised_than_a_query_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []

    def recording(text: str) -> str:
        lengths.append(len(text))
        return text

    monkeypatch.setattr(tokens, "normalise", recording)
    query_words("梯" * 1_000_000)
    assert max(lengths) <= MAX_QUERY_LENGTH


def test_a_dot_glues_words_and_a_space_parts_them() -> None:
    words = query_words("torch.nn 层归 x")
    assert [(word.text, word.is_glued) for word in words] == [
        ("torch", False),
        ("nn", True),
        ("层", False),
        ("归", True),
        ("x", False),
    ]


@pytest.mark.parametrize(
    ("query", "beginning"),
    [("softm", "softm"), ("log_soft", "logsoft"), ("4.2", "4·2"), ("LayerN", "layern"), ("层", "")],
)
def test_what_is_typed_so_far_is_the_beginning_of_a_token(query: str, beginning: str) -> None:
    (word,) = query_words(query)
    assert word.beginning == beginning
