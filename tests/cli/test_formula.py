import doctest
import re

import pytest

from tests.shipped import shipped_bank
from torchstone.cli import formula
from torchstone.cli.formula import show_formula

pytestmark = pytest.mark.pure

MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$`]+\$", re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
BRACES = re.compile(r"\{ [^{}]* \}|\{[^{} ][^{}]*\}")


def formulas() -> set[str]:
    """Return every formula of the bank."""
    return {
        found
        for problem in shipped_bank()
        for words in (problem.statement, problem.editorial)
        for text in (words.en, words.zh)
        for found in MATH.findall(FENCED.sub("", text))
    }


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"C_{ij} = \sum_{k=0}^{K-1} A_{ik}B_{kj}", "Cᵢⱼ = ∑ₖ₌₀ᴷ⁻¹ AᵢₖBₖⱼ"),
        (
            r"y = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} \cdot w + b",
            "y = (x − μ)/√(σ² + ε) · w + b",
        ),
        (r"\tfrac1n\sum_i x_i", "1/n ∑ᵢ xᵢ"),
        (r"0 \cdot \infty", "0 · ∞"),
        (r"2^{-24}", "2⁻²⁴"),
        (r"e^{x_i - m}", "e^(xᵢ − m)"),
        (r"b_{i \bmod n_b}", "b_(i mod n_b)"),
        (r"\sum_{\text{leading dims}} \bar x", "∑_(leading dims) x̄"),
        (r"W_{hh}^\top \delta_1", "Wₕₕᵀδ₁"),
        (r"\exp\Bigl(-\int\sigma\Bigr)", "exp(−∫σ)"),
        (r"\left(\frac{a}{b}\right)^{1/3}", "(a/b)^(1/3)"),
        (r"\left. x \right|_0", "x |₀"),
        (r"|x| \le \lfloor u\rfloor", "|x| ≤ ⌊u⌋"),
        (r"\begin{cases}z & z > 0\\[2pt] s\,z & \text{其他}\end{cases}", "{ z, z > 0; s z, 其他 }"),
        (r"\begin{pmatrix}a & b\\ c & d\end{pmatrix}", "[a b; c d]"),
        (r"\operatorname{act}'(z_t)", "act′(zₜ)"),
        (r"\mathbb R^n", "ℝⁿ"),
        (r"\{1, 2\}", "{1, 2}"),
        (r"\unknown{x}", r"\unknown x"),
        (r"a^", "a^()"),
        (r"\frac{1}", "1/()"),
        (r"{{{", ""),
        ("", ""),
    ],
)
def test_a_formula_is_readable_in_one_line(tex: str, text: str) -> None:
    assert " ".join(show_formula(tex)) == text


def test_an_alignment_has_its_rows() -> None:
    assert show_formula(r"\begin{aligned}a &= b\\ c &= d\end{aligned}") == ["a = b", "c = d"]


def test_no_formula_of_the_bank_keeps_tex() -> None:
    assert len(formulas()) > 300
    for tex in formulas():
        # The rows of an alignment are lines.
        line = " ".join(show_formula(tex.strip("$")))
        assert "\\" not in line, (tex, line)
        assert "$" not in line, (tex, line)
        assert not re.search(r"[_^](\s|\(\)|$)", line), (tex, line)
        # Braces are those of sets and of cases.
        assert line.count("{") == line.count("}") == len(re.findall(r"\\\{|begin\{cases", tex)), tex


def test_every_letter_and_digit_of_the_bank_stays() -> None:
    for tex in formulas():
        bare = re.sub(r"\\(?:begin|end)\{\w+\}|\\\\\[\w+\]|\\[A-Za-z]+", "", tex)
        bare = re.sub(r"\\mathbb", "", bare)
        wanted = len(re.findall(r"[A-Za-z0-9\u4e00-\u9fff]", bare))
        line = "".join(show_formula(tex.strip("$")))
        assert sum(char.isalnum() for char in line) >= wanted, (tex, line)


def test_the_example_is_true() -> None:
    assert doctest.testmod(formula).failed == 0
