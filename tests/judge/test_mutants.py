"""A mutant differs from its parent in one place, and can be named for good."""

import ast

import pytest

from torchstone.bank.loader import load_bank
from torchstone.judge.mutants import Mutant, make_mutants

pytestmark = pytest.mark.pure

WHOLE = '''
def f(x: int = 1, *, dim: int = 2) -> int:
    """Words."""
    y = x.sum(dim=dim, keepdim=True) - 3
    y /= x
    if dim < 0:
        raise ValueError("dim is -1 or 0" + "!")
    return -y if dim == 1 else y
'''


def mutate(source: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mutant in make_mutants(source, at_most=1000):
        found.setdefault(mutant.rule, []).append(mutant.source)
    return found


@pytest.mark.parametrize(
    ("source", "rule", "wanted"),
    [
        ("y = a + b", "exchange operator", {"y = a - b"}),
        ("y = a + b", "drop right term", {"y = a"}),
        ("y = a + b", "drop left term", {"y = b"}),
        ("y = a @ b", "exchange operator", set()),
        ("y = a < b", "shift comparison", {"y = a <= b"}),
        ("y = a is b", "shift comparison", {"y = a is not b"}),
        ("y = 3", "one more", {"y = 4"}),
        ("y = 3", "one less", {"y = 2"}),
        ("y = True", "turn flag", {"y = False"}),
        ("y = True", "one more", set()),
        ("y = 'a'", "one more", set()),
        ("y = -a", "drop sign", {"y = a"}),
        ("y = a if b else c", "turn condition", {"y = a if not b else c"}),
        ("f(a, b=c)", "forget keyword", {"f(a)"}),
        ("f(a)", "leave out", {"pass"}),
        ("a += b", "leave out", {"pass"}),
        ("y = f(x)", "detach", {"y = f(x).detach()"}),
    ],
)
def test_each_rule_changes_what_it_says(source: str, rule: str, wanted: set[str]) -> None:
    assert set(mutate(source).get(rule, ())) == wanted


def test_mutants_are_programs_and_none_is_its_parent_or_another_mutant() -> None:
    parent = ast.unparse(ast.parse(WHOLE))
    mutants = make_mutants(WHOLE, at_most=1000)
    assert len({mutant.source for mutant in mutants}) == len(mutants) > 10
    for mutant in mutants:
        ast.parse(mutant.source)
        assert mutant.source != parent


def test_annotations_docstrings_and_errors_are_left_alone() -> None:
    for mutant in make_mutants(WHOLE, at_most=1000):
        assert "x: int" in mutant.source
        assert '"""Words."""' in mutant.source
        assert "raise ValueError('dim is -1 or 0' + '!')" in mutant.source


def test_too_many_mutants_are_thinned_evenly() -> None:
    source = "\n".join(f"x{n} = {n + 10}" for n in range(50))
    lines = [mutant.line for mutant in make_mutants(source, at_most=10)]
    assert len(lines) == 10
    assert min(lines) <= 5
    assert max(lines) >= 45


def test_a_key_depends_on_rule_and_text_alone() -> None:
    key = Mutant(rule="detach", line=1, source="a").key
    assert key == Mutant(rule="detach", line=9, source="a").key
    others = {
        Mutant(rule="cast", line=1, source="a").key,
        Mutant(rule="detach", line=1, source="b").key,
    }
    assert key not in others
    assert len(key) == 10


def test_every_solution_of_the_bank_has_mutants() -> None:
    for problem in load_bank():
        assert len(make_mutants(problem.solution.source, at_most=30)) >= 10, problem.id
