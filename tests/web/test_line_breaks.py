"""Long lines of code are broken at their parentheses, and mean the same afterwards."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.shipped import shipped_bank
from torchstone.core.i18n import LANGS
from torchstone.web.line_breaks import COLUMNS, break_lines, split_formula

pytestmark = pytest.mark.pure

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"^\$\$(.*?)\$\$", re.MULTILINE | re.DOTALL)


def statements() -> Iterator[tuple[str, str]]:
    """List the statements of the bank, in both languages."""
    for problem in shipped_bank():
        for lang in LANGS:
            yield f"{problem.id} {lang}", getattr(problem.statement, lang)


def bare(source: str) -> str:
    """Return code without spaces, marks of comments, and commas before a closing bracket."""
    return re.sub(r"\s|//|#", "", source).replace(",)", ")")


def test_a_signature_is_broken_at_its_parentheses() -> None:
    source = "def f(first: int, second: dict[str, int], third: float = 1.0, fourth='') -> int: ..."
    assert break_lines(source, "python").split("\n") == [
        "def f(",
        "    first: int,",
        "    second: dict[str, int],",
        "    third: float = 1.0,",
        "    fourth='',",
        ") -> int: ...",
    ]


def test_parameters_that_fit_into_a_line_share_it() -> None:
    source = "def broadcast_to(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor: ..."
    assert break_lines(source, "python").split("\n") == [
        "def broadcast_to(",
        "    x: torch.Tensor, shape: Sequence[int]",
        ") -> torch.Tensor: ...",
    ]


def test_a_prototype_on_several_lines_is_joined_first() -> None:
    source = (
        'extern "C" cudaError_t relu_backward(const float* grad_y, const float* y, float* grad_x,\n'
        "                                     long long n, cudaStream_t stream);"
    )
    assert break_lines(source, "cuda").split("\n") == [
        'extern "C" cudaError_t relu_backward(',
        "    const float* grad_y, const float* y, float* grad_x,",
        "    long long n, cudaStream_t stream",
        ");",
    ]


def test_the_parameters_of_a_lambda_stay_together() -> None:
    source = (
        'register("name", lambda ctx, grad: (torch.ops.ts41.add_constant_backward(grad), None))'
    )
    broken = break_lines(source, "python")
    assert "    lambda ctx, grad: (\n" in broken
    assert ast.dump(ast.parse(broken)) == ast.dump(ast.parse(source))


def test_a_comment_moves_below_its_line_and_is_wrapped_between_brackets() -> None:
    source = "    y = unbroadcast(torch.ones(2, 3), (3,))  # tensor([2., 2., 2.]), and nothing else"
    assert break_lines(source, "python").split("\n") == [
        "    y = unbroadcast(torch.ones(2, 3), (3,))",
        "    # tensor([2., 2., 2.]), and nothing else",
    ]
    long = "// a = {1, 2, 3, 4, 5, 6}, b = {10, 20, 30}, grad_out = {1, 1, 1, 2, 2, 2}"
    assert break_lines(long, "cuda").split("\n") == [
        "// a = {1, 2, 3, 4, 5, 6}, b = {10, 20, 30},",
        "// grad_out = {1, 1, 1, 2, 2, 2}",
    ]


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("x = 1  # short", "python"),
        ('"""A long docstring that is wider than the column of a statement is."""\n', "python"),
        ("/* A long comment of C that is wider than the column of a statement. */ int x;", "cpp"),
        ("void f() {\n  g(1);\n  h(2);\n}", "cpp"),
        ("one very long line of plain text (with brackets, and more) that has no syntax", "text"),
        ("g++ -std=c++20 -O2 -shared -fPIC -I<torch>/include ext.cpp -ltorch_cpu", "bash"),
        ('x = "a string that is not closed, (and has brackets) and is longer than that', "python"),
        ("x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18", "python"),
    ],
)
def test_what_cannot_be_broken_safely_stays(source: str, language: str) -> None:
    assert break_lines(source, language) == source


def test_brackets_and_marks_in_strings_are_letters() -> None:
    source = 'print("a # (b", first_argument_of_it, second_argument_of_it, "c) // d", 1, 2)'
    broken = break_lines(source, "python")
    assert max(map(len, broken.split("\n"))) <= COLUMNS
    assert ast.dump(ast.parse(broken)) == ast.dump(ast.parse(source))


@pytest.mark.parametrize(("name", "text"), [*statements()])
def test_the_code_of_every_statement_fits_and_means_the_same(name: str, text: str) -> None:
    found = FENCE.findall(text)
    assert found, name
    for language, source in found:
        broken = break_lines(source, language)
        if language in ("text", "bash", "console", ""):
            continue
        assert max(map(len, broken.split("\n"))) <= COLUMNS, broken
        assert bare(broken) == bare(source)
        assert break_lines(broken, language) == broken
        try:
            tree = ast.dump(ast.parse(source))
        except SyntaxError:
            # C++, or a signature alone.
            continue
        assert ast.dump(ast.parse(broken)) == tree


@pytest.mark.parametrize(("name", "text"), [*statements()])
def test_the_parts_of_a_formula_are_all_of_it(name: str, text: str) -> None:
    for tex in FORMULA.findall(text):
        parts = split_formula(tex)
        assert re.sub(r"\\q?quad|\s", "", tex) == re.sub(r"\\q?quad|\s", "", "".join(parts)), name
        for part in parts:
            assert part.count("{") == part.count("}")
            assert part.count(r"\begin") == part.count(r"\end")


def test_a_formula_is_split_at_wide_spaces_outside_of_braces_and_environments() -> None:
    cases = r"\begin{cases} 1 \quad 2 \\ 3 \end{cases}"
    assert split_formula(rf"y = {cases} \qquad z = \text{{if \quad it}}") == [
        rf"y = {cases}",
        r"z = \text{if \quad it}",
    ]
    pair = r"\left\{ a \quad b \right\}"
    assert split_formula(rf"{pair}\quad\quaddling") == [pair, r"\quaddling"]
    assert split_formula("a = b") == ["a = b"]
