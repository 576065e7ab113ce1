import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from tests.web.scan import find_faults, text_of
from torchstone.bank.markdown import outline
from torchstone.web import highlight as module
from torchstone.web.highlight import CLASSES, highlight

pytestmark = pytest.mark.pure

LANGUAGES = [
    "python",
    "pycon",
    "cpp",
    "cuda",
    "toml",
    "json",
    "bash",
    "console",
    "text",
    "",
    "no/pe",
]


def colored(html: str) -> list[tuple[str, str]]:
    return re.findall(r'<span class="(\w+)">([^<]*)</span>', html)


@pytest.mark.parametrize(
    ("language", "source", "spans"),
    [
        (
            "python",
            "def f(x: int = 3) -> None:  # why\n    return x.mean()",
            [("k", "def"), ("fn", "f"), ("n", "3"), ("k", "None"), ("c", "# why"), ("k", "return")],
        ),
        ("python", 'x = "a" if not y else 1e-5', [("s", '"a"'), ("k", "if"), ("k", "not")]),
        ("python", "torch.relu(self.x)", [("fn", "relu")]),
        ("python", "class A(B): pass", [("k", "class"), ("fn", "A"), ("k", "pass")]),
        ("python", "@torch.no_grad()", [("fn", "no_grad")]),
        ("PY", "1", [("n", "1")]),
        ("cuda", "#include <a.h>\nfloat f(); // x", [("k", "#include"), ("s", "&lt;a.h&gt;")]),
        ("toml", "[a]\nb = 1", [("k", "[a]"), ("n", "1")]),
        ("console", "$ make\nok", [("c", "$ ")]),
        ("text", "def f(): 1", []),
        ("nonsense", "def f(): 1", []),
    ],
)
def test_code_has_the_five_classes_of_the_palette(
    language: str, source: str, spans: list[tuple[str, str]]
) -> None:
    assert colored(highlight(source, language))[: len(spans)] == spans
    assert (colored(highlight(source, language)) == []) == (spans == [])


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.text() | st.lists(st.sampled_from(list("'\"#/*<>&\\\n (1a[$"))).map("".join))
def test_every_character_is_shown_and_nothing_else(language: str, source: str) -> None:
    html = highlight(source, language)
    assert find_faults(html) == []
    assert {name for name, _ in colored(html)} <= CLASSES
    assert text_of(html) == re.sub("\r\n?", "\n", source)


@pytest.mark.full
def test_every_cell_of_the_bank_keeps_its_characters() -> None:
    for problem in shipped_bank():
        cells = outline(problem.editorial.en).cells
        assert cells
        for cell in cells:
            html = highlight(cell.source, cell.info)
            assert text_of(html) == cell.source
            if cell.info.startswith(("py", "cuda")):
                assert 'class="k"' in html
            elif cell.info == "text":
                assert 'class="k"' not in html


def test_code_that_is_too_long_stays_plain() -> None:
    assert highlight("1 " * module.MAX_CHARACTERS, "python") == "1 " * module.MAX_CHARACTERS


def test_a_lexer_that_loses_a_character_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loses:
        def get_tokens(self, text: str) -> list[tuple[str, str]]:
            return [("Token.Keyword", text[:-2])]

    monkeypatch.setattr(module, "_lexer", lambda name: Loses())
    assert highlight("return 1\n", "python") == "return 1\n"


def test_the_example_is_true() -> None:
    assert doctest.testmod(module) == (0, 1)
