import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.cudasim.tokens import Kind, tokenize

pytestmark = pytest.mark.pure

# Pieces that meet each other in every way: all that begins, ends or joins something.
PIECES = st.sampled_from(
    [
        *("<<<", ">>>", "<<", "<", ">", "<:", "<::", ":>", "<%", "%>", "%:", "#", "##", "::", ":"),
        *("/*", "*/", "//", '"', "'", "\\", "\\\n", "\\ \t\r\n", "\n", "\r\n", "\r", "\t", " "),
        *('R"(', ')"', 'R"x(', ')x"', 'u8R"y(', "u8", "L", "'a'", '"b"', "1'000", "0x1p-3", ".5"),
        *("#define A", "#if 0", "#endif", "#error don't", "__shared__", "k", "é", "名", "(", ")"),
    ]
)
SOURCES = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


def spellings(source: str) -> list[str]:
    return [token.spelling for token in tokenize(source) if token.is_code]


@given(SOURCES)
def test_tokens_join_to_the_source(source):
    assert "".join(token.text for token in tokenize(source)) == source


@given(SOURCES)
def test_a_token_knows_the_line_and_column_where_it_begins(source):
    lines = source.split("\n")
    for token in tokenize(source):
        assert lines[token.line - 1 :][0][token.column - 1 :].startswith(token.text.split("\n")[0])


@given(SOURCES)
def test_tokens_are_numbered_in_order(source):
    tokens = tokenize(source)
    assert [token.index for token in tokens] == list(range(len(tokens)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("k<<<1,2>>>(x)", ["k", "<<<", "1", ",", "2", ">", ">", ">", "(", "x", ")"]),
        ("a<b<c>>=d", ["a", "<", "b", "<", "c", ">", ">=", "d"]),
        ("x<<=1; y<=>z", ["x", "<<=", "1", ";", "y", "<=>", "z"]),
        ("f<::T>", ["f", "<", "::", "T", ">"]),
        ("f<:::T:>", ["f", "[", "::", "T", "]"]),
        ("<%%>%:%:", ["{", "}", "##"]),
        ("1'000'000'", ["1'000'000", "'"]),
        ("0x1p-3f+.5e+1", ["0x1p-3f", "+", ".5e+1"]),
        ("u8\"a\\\"b\"L'\\''", ['u8"a\\"b"', "L'\\''"]),
        ('R"x(a)"\n<<<)x"b', ['R"x(a)"\n<<<)x"', "b"]),
        ('"\\\\"R"()"', ['"\\\\"', 'R"()"']),
        ("don't\nk", ["don", "'t", "k"]),
        ("p->*q a.*b ...", ["p", "->*", "q", "a", ".*", "b", "..."]),
        ("größe_名", ["größe_名"]),
    ],
)
def test_marks_numbers_and_strings_are_cut_as_a_compiler_cuts_them(source, expected):
    assert spellings(source) == expected


def test_a_line_splice_joins_what_it_cuts():
    tokens = [token for token in tokenize("__sha\\\nred__ <\\\n<\\ \r\n< k") if token.is_code]
    assert [token.spelling for token in tokens] == ["__shared__", "<<<", "k"]
    assert tokens[0].text == "__sha\\\nred__"
    assert [token.line for token in tokens] == [1, 2, 4]


def test_a_line_splice_goes_on_with_a_comment():
    assert spellings("// a \\\n k<<<1\nb") == ["b"]


def test_a_raw_string_keeps_its_splices():
    (token,) = tokenize('R"(a\\\nb)"')
    assert token.spelling == 'R"(a\\\nb)"'


def test_tokens_after_a_raw_string_with_splices_stand_where_they_stand():
    tokens = [token for token in tokenize('a\\\n R"(\\\n\\\n)" \\\n b') if token.is_code]
    assert [(token.spelling, token.line, token.column) for token in tokens[2:]] == [("b", 5, 2)]


def test_a_directive_holds_its_spliced_lines_and_no_more():
    tokens = tokenize("a\n  # define K(x) \\\n  x<<<1\nb # c\n#if 1\n")
    inside = [token.spelling for token in tokens if token.directive == 1 and token.is_code]
    assert inside == ["#", "define", "K", "(", "x", ")", "x", "<<<", "1"]
    assert [t.directive for t in tokens if t.spelling in ("a", "b", "c")] == [0, 0, 0]
    assert [t.directive for t in tokens if t.spelling == "if"] == [2]


def test_a_comment_before_the_hash_leaves_it_a_directive():
    tokens = tokenize("/* c */ #pragma once\n")
    assert [token.spelling for token in tokens if token.directive and token.is_code] == [
        "#",
        "pragma",
        "once",
    ]


def test_a_comment_over_lines_does_not_end_a_directive():
    tokens = tokenize("#define A /* x\n y */ b\nc")
    assert [t.directive for t in tokens if t.spelling in ("b", "c")] == [1, 0]


@pytest.mark.parametrize("source", ["/* open", '"open', "'open", 'R"x(open', "a\\\n", "\\"])
def test_what_has_no_end_is_still_cut(source):
    assert "".join(token.text for token in tokenize(source)) == source


def test_comments_and_blanks_are_no_code():
    kinds = [token.kind for token in tokenize("a /*b*/ // c\n")]
    assert kinds == [Kind.WORD, Kind.SPACE, Kind.COMMENT, Kind.SPACE, Kind.COMMENT, Kind.SPACE]
