from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank import Shelf, Variant
from torchstone.bank.variant import parse_variant
from torchstone.core.verdict import Aspect, Verdict

pytestmark = pytest.mark.pure

PATH = Path("wrong/no_shift.py")


def parse(verdict: str = "WA value", *, shelf: Shelf = Shelf.WRONG, extra: str = "") -> Variant:
    header = f"# verdict: {verdict}\n# group: scale\n# en: wrong.\n# zh: 错了。\n{extra}"
    return parse_variant(PATH, header + "import torch\n", shelf=shelf)


REFUSALS = [verdict for verdict in Verdict if verdict not in (Verdict.AC, Verdict.IE, Verdict.WA)]
OUTCOMES = st.one_of(
    st.sampled_from([(verdict, None) for verdict in REFUSALS]),
    st.sampled_from([(Verdict.WA, aspect) for aspect in Aspect]),
)


@given(st.lists(OUTCOMES, min_size=1, max_size=4))
def test_every_honest_outcome_is_read_back(outcomes: list[tuple[Verdict, Aspect | None]]) -> None:
    header = " | ".join(f"{verdict} {aspect or ''}".strip() for verdict, aspect in outcomes)
    variant = parse(header)
    assert [(found.verdict, found.aspect) for found in variant.outcomes] == outcomes
    assert " | ".join(str(found) for found in variant.outcomes) == header
    for verdict in Verdict:
        for aspect in (None, *Aspect):
            assert variant.accepts(verdict, aspect) is ((verdict, aspect) in outcomes)


@pytest.mark.parametrize(
    "verdict",
    [
        "wa value",
        "WA",
        "WA speed",
        "TLE value",
        "AC",
        "IE",
        "WA value |",
        "|",
        "WA value grad",
        "Q",
    ],
)
def test_a_verdict_that_no_judge_would_give_is_refused(verdict: str) -> None:
    with pytest.raises(
        ValueError, match=r"expected a verdict, one of|WA must have an aspect|a refusing verdict"
    ):
        parse(verdict)


@pytest.mark.parametrize("key", ["verdict", "group", "en", "zh"])
def test_a_header_without_a_field_is_refused(key: str) -> None:
    lines = ["# verdict: WA value", "# group: scale", "# en: wrong.", "# zh: 错了。"]
    source = "\n".join(line for line in lines if not line.startswith(f"# {key}:"))
    with pytest.raises(ValueError, match=rf"\['{key}'\] are missing"):
        parse_variant(PATH, source, shelf=Shelf.WRONG)


def test_a_cheat_may_leave_its_group_open() -> None:
    source = "# verdict: FORBIDDEN_OP\n# en: calls the builtin.\n# zh: 调用内置算子。\n"
    variant = parse_variant(PATH, source, shelf=Shelf.CHEATS)
    assert (variant.verdict, variant.group) == (Verdict.FORBIDDEN_OP, None)


def test_a_field_goes_on_over_indented_lines() -> None:
    source = (
        "# verdict: WA value\n# group: scale\n# en: exp overflows;\n#   subtract the maximum.\n"
        "# zh: 会溢出；\n#   先减去最大值。\n# Unindented prose belongs to no field.\n"
    )
    words = parse_variant(PATH, source, shelf=Shelf.WRONG).words
    assert words is not None
    assert words.en == "exp overflows; subtract the maximum."
    assert words.zh == "会溢出；先减去最大值。"


def test_the_header_ends_at_the_first_line_of_code() -> None:
    source = "# verdict: WA value\n# en: a.\n# zh: 错。\nimport torch\n# group: scale\n"
    with pytest.raises(ValueError, match="group"):
        parse_variant(PATH, source, shelf=Shelf.WRONG)


def test_a_field_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="must occur once; it occurs twice"):
        parse(extra="# group: small\n")


def test_chinese_that_is_not_chinese_is_refused() -> None:
    source = "# verdict: RTE\n# en: wrong.\n# zh: wrong.\n"
    with pytest.raises(ValueError, match="`zh` must be Chinese"):
        parse_variant(PATH, source, shelf=Shelf.CHEATS)


@pytest.mark.parametrize("shelf", [Shelf.SOLUTION, Shelf.GOOD])
def test_a_right_answer_needs_no_header(shelf: Shelf) -> None:
    variant = parse_variant(PATH, "x = 1\n", shelf=shelf)
    assert variant.accepts(Verdict.AC, None)
    assert not variant.accepts(Verdict.WA, Aspect.VALUE)
