"""A mutant differs from its parent in one place, and can be named for good."""

import ast
from collections.abc import Mapping

import pytest

from torchstone.judge.mutation.mutants import Mutant, Sight, make_mutants, watch

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


def mutate(source: str, sights: Mapping[int, Sight] | None = None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mutant in make_mutants(source, sights=sights):
        found.setdefault(mutant.rule, []).append(mutant.source)
    return found


@pytest.mark.parametrize(
    ("source", "rule", "wanted"),
    [
        ("y = a + b", "exchange operator", {"y = a - b"}),
        ("y = a + b", "drop right term", {"y = a"}),
        ("y = a + b", "drop left term", {"y = b"}),
        ("y = a @ b", "exchange operator", set()),
        ("y = a & b", "exchange operator", {"y = a | b"}),
        ("y = a and b", "exchange connective", {"y = a or b"}),
        ("y = a @ b", "swap operands", {"y = b @ a"}),
        ("y = a + b", "swap operands", set()),
        ("y = (a - b).abs()", "swap operands", set()),
        ("y = torch.abs(a - b)", "swap operands", set()),
        ("y = (a - b).exp()", "swap operands", {"y = (b - a).exp()"}),
        ("y = abs(a / b)", "swap operands", {"y = abs(b / a)"}),
        ("y = f(a, b, c)", "swap arguments", {"y = f(b, a, c)"}),
        ("y = f(a, a)", "swap arguments", set()),
        ("y = f(a, *b)", "swap arguments", set()),
        ("y = torch.maximum(a, b)", "swap arguments", set()),
        ("y = a.T", "swap axes", {"y = a"}),
        ("y = a.transpose(0, 1)", "swap axes", {"y = a"}),
        ("y = a.reshape(0, 1)", "swap axes", set()),
        ("y = a < b", "shift comparison", {"y = a <= b"}),
        ("y = a is b", "shift comparison", {"y = a is not b"}),
        ("y = c if a == b else d", "shift comparison", set()),
        ("y = c if a < b else d", "shift comparison", {"y = c if a <= b else d"}),
        ("y = 3", "one more", {"y = 4"}),
        ("y = 3", "one less", {"y = 2"}),
        ("y = True", "turn flag", {"y = False"}),
        ("y = True", "one more", set()),
        ("y = 'a'", "one more", set()),
        ("y = -a", "drop sign", {"y = a"}),
        ("y = a if b else c", "turn condition", {"y = a if not b else c"}),
        ("f(a, b=c)", "forget keyword", {"f(a)"}),
        ("f(a, b=True)", "forget keyword", set()),
        ("f(a)", "leave out", {"pass"}),
        ("a += b", "leave out", {"pass"}),
        ("y = f(x)", "detach", {"y = f(x).detach()"}),
    ],
)
def test_each_rule_changes_what_it_says(source: str, rule: str, wanted: set[str]) -> None:
    assert set(mutate(source).get(rule, ())) == wanted


def test_mutants_are_programs_and_none_is_its_parent_or_another_mutant() -> None:
    parent = ast.unparse(ast.parse(WHOLE))
    mutants = make_mutants(WHOLE)
    assert len({mutant.source for mutant in mutants}) == len(mutants) > 10
    for mutant in mutants:
        ast.parse(mutant.source)
        assert mutant.source != parent


def test_annotations_docstrings_and_errors_are_left_alone() -> None:
    for mutant in make_mutants(WHOLE):
        assert "x: int" in mutant.source
        assert '"""Words."""' in mutant.source
        assert "raise ValueError('dim is -1 or 0' + '!')" in mutant.source


def test_every_rule_comes_before_any_comes_again() -> None:
    rules = [mutant.rule for mutant in make_mutants(WHOLE)]
    num_rules = len(set(rules))
    assert num_rules > 10
    assert len(set(rules[:num_rules])) == num_rules


def test_the_first_mutants_of_a_rule_lie_all_over_the_program() -> None:
    source = "\n".join(f"x{n} = -x" for n in range(50))
    lines = [mutant.line for mutant in make_mutants(source)][:10]
    assert min(lines) <= 15
    assert max(lines) >= 35


GRAPH = Sight(has_graph=True, has_elements=True)
WIDE = Sight(is_wide=True, has_elements=True)
EMPTY = Sight(is_wide=True)


@pytest.mark.parametrize(
    ("source", "sight", "wanted"),
    [
        ("y = f(x)", GRAPH, {"detach"}),
        ("y = f(x)", WIDE, {"cast"}),
        ("y = f(x)", GRAPH | WIDE, {"detach", "cast"}),
        ("y = f(x)", Sight(), set()),
        ("y = f(x)", None, {"detach", "cast"}),
        ("y = torch.empty(2)", WIDE, set()),
        ("y = x.new_zeros(2)", WIDE, set()),
        ("y = torch.empty(2).uniform_()", WIDE, {"cast"}),
        ("if x.numel() == 0:\n    y = f(x)", EMPTY, set()),
        ("if x.numel() == 0:\n    y = f(x)", WIDE, {"cast"}),
        ("if x.ndim == 0:\n    y = f(x)", EMPTY, {"cast"}),
    ],
)
def test_a_result_is_only_changed_where_that_changes_it(
    source: str, sight: Sight | None, wanted: set[str]
) -> None:
    sights = {} if sight is None else {0: sight}
    assert set(mutate(source, sights)) & {"detach", "cast"} == wanted


@pytest.mark.parametrize(
    ("source", "alike"),
    [
        ("zip(a, b, strict=True)", "f(a, b, strict=True)"),
        ("zip(a, b, strict=False)", "f(a, b, strict=False)"),
        ("assert a < 1", "a < 1"),
        ("raise E(a < 1)", "f(a < 1)"),
    ],
)
def test_what_a_program_says_of_itself_is_left_alone(source: str, alike: str) -> None:
    rules = {"forget keyword", "turn flag", "shift comparison", "one more"}
    assert not rules & set(mutate(source))
    assert rules & set(mutate(alike))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("y = x[0]", set()),
        ("y = x[:, 0]", set()),
        ("y = x[1]", {"y = x[0]"}),
        ("y = x[0:]", {"y = x[-1:]"}),
        ("y = x.sum(0)", {"y = x.sum(-1)"}),
        ("y = x.flatten().sum(0)", set()),
        ("y = x.squeeze().sum(0)", {"y = x.squeeze().sum(-1)"}),
        ("y = x[f(0)]", {"y = x[f(-1)]"}),
    ],
)
def test_the_first_index_does_not_become_the_last(source: str, wanted: set[str]) -> None:
    assert set(mutate(source).get("one less", ())) == wanted


def test_results_are_watched_by_number_and_stay_what_they_are() -> None:
    seen: dict[int, object] = {}

    def look(number: int, value: object) -> object:
        seen[number] = value
        return value

    scope = {"__torchstone_watch__": look}
    source = (
        "def f(x):\n    y = x + 1\n    if x > 5:\n        return g(x)\n    return y * 2\nz = f(1)"
    )
    exec(watch(source), scope)
    assert scope["z"] == 4
    assert seen == {0: 2, 2: 4, 3: 4}


def test_a_key_depends_on_rule_and_text_alone() -> None:
    key = Mutant(rule="detach", line=1, source="a").key
    assert key == Mutant(rule="detach", line=9, source="a").key
    others = {
        Mutant(rule="cast", line=1, source="a").key,
        Mutant(rule="detach", line=1, source="b").key,
    }
    assert key not in others
    assert len(key) == 10
