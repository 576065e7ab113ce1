from xml.etree.ElementTree import fromstring

import pytest

from torchstone.web.mathml import to_mathml
from torchstone.web.spacing import is_function, space_row

pytestmark = pytest.mark.pure

THIN = "0.167em"


def operators(tex: str, text: str) -> list[dict[str, str]]:
    found = [mo.attrib for mo in fromstring(to_mathml(tex)).iter("mo") if mo.text == text]
    return [
        {k: v for k, v in each.items() if k not in ("movablelimits", "stretchy")} for each in found
    ]


@pytest.mark.parametrize(
    ("tex", "is_unary"),
    [
        ("-x", [True]),
        ("a - b", [False]),
        ("a = -b", [True]),
        ("a - -b", [False, True]),
        ("(-x)", [True]),
        ("(x) - 1", [False]),
        ("f(x)^2 - 1", [False]),
        ("x! - 1", [False]),
        ("|x| - 1", [False]),
        ("|-x|", [True]),
        (r"a, \qquad -x", [True]),
        (r"\frac{a}{b} - 1", [False]),
        (r"\left(x\right) - 1", [False]),
        (r"x\,- y", [False]),
        (r"\log -x", [True]),
        (r"1 + \dots - x", [False]),
        (r"\max_j - x", [True]),
    ],
)
def test_a_minus_belongs_to_what_follows_unless_something_comes_before(
    tex: str, is_unary: list[bool]
) -> None:
    assert [each.get("form") == "prefix" for each in operators(tex, "−")] == is_unary


@pytest.mark.parametrize(
    ("tex", "name", "left", "right"),
    [
        (r"\log p", "log", "0", THIN),
        (r"q \log p", "log", THIN, THIN),
        (r"\log(p)", "log", "0", "0"),
        (r"(a)\log p", "log", THIN, THIN),
        (r"- \log p", "log", THIN, THIN),
        (r"a - \log p", "log", "0", THIN),
        (r"= \max|x|", "max", "0", THIN),
        (r"|x|\max y", "max", THIN, THIN),
        (r"\log\sum_i x", "log", "0", THIN),
        (r"\log\sum_i x", "∑", "0", THIN),
        (r"x\sum_i (y)", "∑", THIN, "0"),
        (r"\operatorname{diag}(y)", "diag", "0", "0"),
        (r"\max_j x", "max", "0", THIN),
        (r"0 \dots T", "…", THIN, THIN),
        (r"a, \dots, b", "…", "0", "0"),
        (r"a\,\log\,b", "log", "0", "0"),
    ],
)
def test_a_name_keeps_a_thin_space_from_letters(tex: str, name: str, left: str, right: str) -> None:
    assert operators(tex, name) == [{"lspace": left, "rspace": right}]


@pytest.mark.parametrize(
    ("tex", "bar", "forms"),
    [
        ("|x|", "|", ["prefix", "postfix"]),
        ("|x| + |y|", "|", ["prefix", "postfix", "prefix", "postfix"]),
        (r"\|x\|_\infty \le \|y\|^2", "‖", ["prefix", "postfix", "prefix", "postfix"]),
        (r"\lVert x \rVert", "‖", ["prefix", "postfix"]),
        (r"\frac{|a|}{|b|}", "|", ["prefix", "postfix", "prefix", "postfix"]),
        (r"\left|x\right|", "|", ["prefix", "postfix"]),
        ("|", "|", ["prefix"]),
    ],
)
def test_bars_open_and_close_in_turn(tex: str, bar: str, forms: list[str]) -> None:
    assert [each["form"] for each in operators(tex, bar)] == forms


@pytest.mark.parametrize("tex", ["a/b", "f(x).y"])
def test_slashes_and_points_stand_close(tex: str) -> None:
    assert operators(tex, tex.strip("abfxy()")) == [{"lspace": "0", "rspace": "0"}]


def test_scripts_are_set_without_spaces_and_the_line_with_them() -> None:
    assert operators("x_{n - 1}^{a = b} - 1", "−") == [{"lspace": "0", "rspace": "0"}, {}]
    assert operators(r"x^{\frac{a + b}{c}}", "+") == [{"lspace": "0", "rspace": "0"}]
    assert operators(r"\frac{a + b}{c}", "+") == [{}]


def test_an_empty_row_is_nothing_to_space() -> None:
    space_row([])
    assert not is_function("")
    assert not is_function("\N{SCRIPT SMALL L}")
