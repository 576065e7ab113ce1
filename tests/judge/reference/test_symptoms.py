"""Each statement about an error is said where it is true, and not where another one is."""

from typing import Any

import pytest
import torch

from tests.judge.reference.problem_folder import write_problem
from torchstone.judge.kit import Grade, grade
from torchstone.judge.kit.problem import ProblemCode, load_code
from torchstone.judge.proof.rehearsal import Rehearsed, rehearse
from torchstone.judge.reference.replies import SeenSymptom
from torchstone.judge.reference.symptoms import find_symptoms
from torchstone.judge.reference.trials import split_case

pytestmark = pytest.mark.torch

# The mean along a dimension with a term below the root, so that every kind of mistake fits.
CASES = """
import torch
from torchstone.judge.kit import Case, call, lay_out
GROUPS = ("small", "wide", "half", "layout", "zeros")
def plan(group, draw):
    dtype = "float16" if group == "half" else "float32"
    layout = "transposed" if group == "layout" else "contiguous"
    sizes = [(3, 5), (5, 4), (6, 7)] if group != "wide" else [(5, 70), (4, 100)]
    return [
        {"shape": list(size), "dim": k % 2, "dtype": dtype, "layout": layout, "eps": 0.1 * k + 0.3,
         "zeros": group == "zeros"}
        for k, size in enumerate(sizes)
    ]
def build(group, params, draw):
    x = lay_out(draw.normal(params["shape"], getattr(torch, params["dtype"])), params["layout"])
    if params["zeros"]:
        x[:, 1] = 0
    secret = {"x": x, "dim": params["dim"], "eps": params["eps"], "flag": True}
    return Case(steps=(call("f", x, params["dim"], params["eps"], True),), secret=secret)
"""
ORACLE = """
import torch
from torchstone.judge.kit import Want, bound
def expect(case):
    s = case.secret
    x = s["x"].double()
    y = x / (x.square().mean(s["dim"], keepdim=True) + s["eps"]).sqrt()
    if not s["flag"]:
        y = y - 1
    return {"out": Want(y, bound(8 * y.abs() + 1e-3, 16, x.dtype if 0 else s["x"].dtype, y),
                        s["x"].dtype)}
"""
RIGHT = (
    "def f(x, dim, eps, flag):\n"
    "    w = x.double()\n"
    "    y = w / (w.square().mean(dim, keepdim=True) + eps).sqrt()\n"
    "    return ({}).to(x.dtype)\n"
)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> ProblemCode:
    folder = tmp_path_factory.mktemp("symptoms") / "problem"
    return load_code(write_problem(folder, cases=CASES, oracle=ORACLE))


def told(code: ProblemCode, source: str) -> tuple[SeenSymptom, ...]:
    judged = list(rehearse(code, source, ["f"], 3))
    return find_symptoms(code, [each for one in judged for each in split_case(code, one)])


def said(result: str) -> str:
    return RIGHT.format(result)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (said("y * 2"), "Every wrong result is the right result times 2."),
        (said("y / 3"), "Every wrong result is the right result times 1 / 3."),
        (said("y * x.shape[dim]"), "Every wrong result is the right result times argument 0.shape"),
        (said("-y"), "Every wrong result is -y, where y is the right result."),
        (said("y.square()"), "Every wrong result is y ** 2, where y is the right result."),
        (said("y + 1.5"), "Every wrong result is the right result plus 1.5."),
        (said("y - w"), "Every wrong result is the right result minus `argument 0`."),
        (said("y - 1"), "Every wrong result is right for the opposite value of `flag`."),
        (said("w"), "Every wrong result equals the input `argument 0`."),
        (said("y.flip(1)"), "Every wrong result is the right result, reversed along dimension -1."),
        (said("y.roll(1, 1)"), "Every wrong result is the right result, shifted by 1 along"),
        (said("y.flip(0)"), "Every wrong result is the right result, reversed along dimension -2."),
        (said("y * 0"), "Every wrong result is 0 everywhere."),
        (said("y").replace("+ eps", "+ 1e-5"), "Every wrong result is right for `eps` = 1e-05"),
        (said("y").replace("+ eps", "+ 0"), "Every wrong result is right for `eps` = 0"),
        (said("y").replace("+ eps", "+ eps ** 2"), "Every wrong result is right for the square of"),
        (said("y").replace("mean(dim,", "mean(1,"), "Every wrong result is right for `dim` = "),
        (
            said("torch.where(w == 0, w + 7, y)").replace("def f", "import torch\ndef f"),
            "In every wrong result, elements are wrong only where",
        ),
        (
            said("torch.where(torch.arange(w.shape[1]) >= 64, y + 7, y)").replace(
                "def f", "import torch\ndef f"
            ),
            "In every wrong result, only elements from index 64 on along dimension -1 are wrong.",
        ),
        (
            said("y + 1 / w.shape[0] * (x.dtype == torch.float16)").replace(
                "def f", "import torch\ndef f"
            ),
            "Wrong in every case where `argument 0` is float16, and in no other.",
        ),
        (
            said("y.abs() + 2 if not x.is_contiguous() else y"),
            "Wrong in every case where `argument 0` is not contiguous, and in no other.",
        ),
    ],
)
def test_what_is_true_of_every_wrong_result_is_said(
    code: ProblemCode, source: str, words: str
) -> None:
    found = told(code, source)
    assert any(each.words["en"].startswith(words) for each in found), found
    assert all(each.words["zh"] and each.cases >= 1 for each in found)


def test_a_right_answer_has_no_symptoms(code: ProblemCode) -> None:
    assert told(code, said("y")) == ()


def test_one_other_wrong_result_ends_a_statement(code: ProblemCode) -> None:
    found = told(code, said("y * 2 if x.shape[0] != 6 else y * 2 + w.square()"))
    assert not any("Every wrong result is the right result" in each.words["en"] for each in found)


def test_a_search_without_time_says_nothing(code: ProblemCode) -> None:
    judged = list(rehearse(code, said("y * 2"), ["f"], 3))
    trials = [each for one in judged for each in split_case(code, one)]
    assert find_symptoms(code, trials, seconds=0.0) == ()


ODD: list[Any] = [
    torch.full((3, 5), float("nan")),
    torch.full((3, 5), float("inf")),
    torch.tensor([]),
    torch.zeros(3, 5, dtype=torch.complex64),
    torch.zeros(1).expand(3, 5),
    torch.full((3, 5), 1e308, dtype=torch.float64),
    torch.full((3, 5), 65504.0),
    torch.full((3, 5), 1e-45),
    None,
    "text",
    [1, [2]],
    {"key": [10**400]},
    10**400,
    float("nan"),
]


@pytest.mark.parametrize("item", ODD, ids=[str(number) for number in range(len(ODD))])
def test_no_answer_makes_the_search_raise(code: ProblemCode, item: Any) -> None:
    judged = []
    for each in rehearse(code, said("y * 2"), ["f"], 3):
        answer = {**each.answer, "out": item, "x" * 150: item, "9" * 30 + ":out": item}
        graded = graded_again(code, each, answer)
        judged.append(
            Rehearsed(planned=each.planned, case=each.case, answer=answer, grade=graded, ms=0.0)
        )
    find_symptoms(code, [each for one in judged for each in split_case(code, one)])


def graded_again(code: ProblemCode, each: Rehearsed, answer: dict[str, Any]) -> Grade:
    return grade(code.expect(each.case), answer)
