import doctest
import re
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from latex2mathml import commands

from tests.web.scan import find_faults, text_of
from torchstone.web import mathml
from torchstone.web.mathml import FormulaError, show_formula, to_mathml

pytestmark = pytest.mark.pure

FRAGMENTS = [
    *(value for value in vars(commands).values() if isinstance(value, str)),
    *commands.CONVERSION_MAP,
    *commands.LIMIT,
    *commands.FUNCTIONS,
    *r"a b 1 2 ^ _ { } { } [ ] ( ) | & % # ~ ' < > * + - = , . / 中 \left( \right) {x}".split(),
    r"\begin{pmatrix}",
    r"\end{pmatrix}",
]


def inner(tex: str, *, display: bool = False) -> str:
    return re.sub("^<math[^>]*>|</math>$", "", to_mathml(tex, display=display))


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        ("x", "<mi>x</mi>"),
        ("12.5", "<mn>12.5</mn>"),
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\sqrt{ab}", "<msqrt><mi>a</mi><mi>b</mi></msqrt>"),
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (r"\mathrm{NaN}", "<mi>NaN</mi>"),
        (r"\mathrm{d}", '<mi mathvariant="normal">d</mi>'),
        (r"\partial", '<mi mathvariant="normal">∂</mi>'),
        (r"A^\top", '<msup><mi>A</mi><mi mathvariant="normal">\u22a4</mi></msup>'),
        (r"\mathbb{R}\mathbb 1", "<mi>\u211d</mi><mn>\U0001d7d9</mn>"),
        (
            r"\mathcal{B}\mathfrak{g}\mathbf{x}",
            "<mi>\u212c</mi><mi>\U0001d524</mi><mi>\U0001d431</mi>",
        ),
        (r"\text{if } x", "<mtext>if\xa0</mtext><mi>x</mi>"),
        (r"\hat x", '<mover accent="true"><mi>x</mi><mo stretchy="false">\u02c6</mo></mover>'),
        (
            r"\widehat{ab}",
            '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow>'
            '<mo stretchy="true">\u0302</mo></mover>',
        ),
        (r"\vec v", '<mover accent="true"><mi>v</mi><mo stretchy="false">→</mo></mover>'),
        (r"\overline{ab}", '<mrow class="overline"><mi>a</mi><mi>b</mi></mrow>'),
        (r"\overline{\overline a}", '<mrow class="overline"><mrow class="overline"><mi>a</mi>'),
        (r"\underline a", '<mrow class="underline"><mi>a</mi></mrow>'),
        (r"a\,b", '<mi>a</mi><mspace width="0.167em" /><mi>b</mi>'),
        (r"a\!b", '<mi>a</mi><mspace width="-0.167em" /><mi>b</mi>'),
        (r"\{x\}", '<mo stretchy="false">{</mo><mi>x</mi><mo stretchy="false">}</mo>'),
        (r"\langle x\rangle", '<mo stretchy="false">⟨</mo><mi>x</mi><mo stretchy="false">⟩</mo>'),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("a% comment", "<mi>a</mi>"),
        (r"\tfrac12", "<mstyle"),
    ],
)
def test_a_formula_is_written_in_mathml_core(tex: str, mathml: str) -> None:
    assert inner(tex).startswith(mathml)
    assert find_faults(re.sub(r"<(\w+)([^>]*?) ?/>", r"<\1\2></\1>", to_mathml(tex))) == []


@pytest.mark.parametrize("tex", [r"\max_j x_j", r"\lim_{n \to 0} x", r"\operatorname*{argmax}_x y"])
def test_limits_may_move_below_a_name(tex: str) -> None:
    limits = fromstring(to_mathml(tex, display=True))[0]
    assert limits.tag == "munder"
    assert limits[0].get("movablelimits") == "true"


def test_limits_of_sums_move_and_those_of_integrals_do_not() -> None:
    for display in (False, True):
        assert inner(r"\sum_i^n", display=display).startswith("<munderover>")
        assert inner(r"\int_0^1", display=display).startswith("<msubsup>")


def test_the_brackets_of_a_matrix_grow_with_it() -> None:
    tall = fromstring(to_mathml(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"))
    assert [mo.attrib for mo in tall.iter("mo")] == [{}, {}]
    assert len(list(tall.iter("mtd"))) == 4
    cases = to_mathml(r"\begin{cases} a & b \\ c & d \end{cases}")
    assert cases.count('<mtd class="start">') == 4
    assert "stretchy" not in cases


@pytest.mark.parametrize("distance", ["2pt", "6 pt", "-.5em", "+1.ex"])
@pytest.mark.parametrize("name", ["align*", "cases", "pmatrix"])
def test_the_distance_of_rows_is_not_a_word_of_the_next_row(name: str, distance: str) -> None:
    text = r"\begin{NAME} a &= \dfrac{b}{2} \\ c &= d \end{NAME}".replace("NAME", name)
    spread = text.replace(r"\\", rf"\\[{distance}]")
    assert to_mathml(spread, display=True) == to_mathml(text, display=True)


def test_a_bracket_after_a_row_that_is_no_distance_is_shown() -> None:
    shown = fromstring(to_mathml(r"\begin{matrix} a \\[2, b] \\ [2pt] \end{matrix}"))
    assert "".join(shown.itertext()) == "a[2,b][2pt]"


@pytest.mark.parametrize(
    "tex",
    [
        r"\unknown",
        r"\frac{a}",
        r"\left( a",
        r"a \right)",
        "x_a_b",
        "_",
        r"\begin{matrix}",
        r"\href{https://a.example}{x}",
        r"\class{x}{y}",
        r"\style{x}{y}",
        r"\color{red}{x}",
        r"\boxed{x}",
        r"\newcommand{\x}{y}\x",
        r"\def\x{\x\x}\x",
        r"\DeclareMathOperator{\x}{y}\x",
        r"\hspace{99999em}",
        r"\hspace{javascript:x}",
        r"\text{a\b}",
        r"\unicode{0}",
        "\\text{\x07}",
        r"\text{&#x0;}",
        r"\text{&#xffffff;}",
        "x" * 2001,
        "{" * 40 + "x" + "}" * 40,
        r"\sqrt" * 390,
        "{" * 999,
    ],
)
def test_a_formula_that_cannot_be_shown_whole_is_refused(tex: str) -> None:
    with pytest.raises(FormulaError):
        to_mathml(tex)
    shown = show_formula(tex)
    assert shown.startswith("<math><merror><mtext>")
    assert find_faults(shown) == []


def test_a_refused_formula_shows_what_was_written() -> None:
    assert show_formula(r"\no <b>", display=True) == (
        r'<math display="block"><merror><mtext>\no &lt;b&gt;</mtext></merror></math>'
    )


def test_nothing_becomes_nothing() -> None:
    assert show_formula("") in ("<math />", "<math><merror><mtext /></merror></math>")
    assert show_formula("{}") == "<math />"
    assert show_formula("x^{}") == "<math><msup><mi>x</mi><mrow /></msup></math>"


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14), st.booleans())
def test_whatever_is_written_nothing_but_the_list_comes_out(
    parts: list[str], display: bool
) -> None:
    shown = show_formula(" ".join(parts), display=display)
    tree = fromstring(shown)
    for element in tree.iter():
        assert set(element.keys()) <= mathml.ATTRIBUTES[element.tag]
        if element.tag in ("mi", "mn", "mo", "mtext"):
            assert len(element) == 0
        else:
            assert not (element.text or "").strip()
        assert element.get("style") is None
    if "merror" not in shown:
        assert "\\" not in text_of(shown)


@given(st.text())
def test_any_text_is_a_formula_or_an_error(tex: str) -> None:
    assert fromstring(show_formula(tex)).tag == "math"


def test_the_example_is_true() -> None:
    assert doctest.testmod(mathml) == (0, 1)
