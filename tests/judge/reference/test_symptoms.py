"""Each statement about an error is said where it is true, and not where another one is."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.judge.reference.problem_folder import write_problem
from torchstone.judge.kit import Case, Finding, Grade, Request, Want, grade
from torchstone.judge.kit.problem import ProblemCode, load_code
from torchstone.judge.proof.rehearsal import Rehearsed, rehearse
from torchstone.judge.reference.symptoms import find_symptoms
from torchstone.judge.reference.symptoms.conditions import find_outputs
from torchstone.judge.reference.trials import Trial, split_case
from torchstone.judge.replies import SeenSymptom

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


@pytest.mark.full
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
    10**5000,
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


# Plain answers: a list, a name, a number and an exception, each with a known truth.
PLAIN_CASES = """
from torchstone.judge.kit import Case, Request
GROUPS = ("small",)
def plan(group, draw):
    return [{"n": n, "mode": ("odd", "even")[n % 2]} for n in range(2, 8)]
def build(group, params, draw):
    x = draw.normal((params["n"], 11))
    return Case(steps=(Request(op="ask", data={"n": params["n"], "x": x}),),
                secret={"n": params["n"], "x": x})
"""
PLAIN_ORACLE = """
import torch
from torchstone.judge.kit import Exact, Holds, Want, bound
def expect(case):
    n, x = case.secret["n"], case.secret["x"].double()
    words = {"en": "w", "zh": "w"}
    return {
        "names": Exact([f"layer {i}" for i in range(n)]),
        "size": Holds(lambda got: type(got) is float and got == 1.5 * n, words, truth=1.5 * n),
        "flag": Exact(n % 3 == 0),
        "out": Want(x, bound(x.abs(), 8, torch.float32), torch.float32),
    }
"""
PLAIN_PROBE = """
def probe(submission, op, data, tools):
    return submission.f(data["n"], data["x"])
"""
PLAIN_RIGHT = (
    "def f(n, x):\n"
    "    names, size, flag, out = [f'layer {i}' for i in range(n)], 1.5 * n, n % 3 == 0, x\n"
    "    HERE\n"
    "    return {'names': names, 'size': size, 'flag': flag, 'out': out}\n"
)


@pytest.fixture(scope="module")
def plain_code(tmp_path_factory: pytest.TempPathFactory) -> ProblemCode:
    folder = tmp_path_factory.mktemp("plain") / "problem"
    write_problem(folder, cases=PLAIN_CASES, oracle=PLAIN_ORACLE)
    (folder / "probe.py").write_text(PLAIN_PROBE, encoding="utf-8")
    return load_code(folder)


# Each mistake, the words of the statement, and the same mistake with one exception to it.
PLAIN = [
    ("names = ['', *names]", "contains ''", "names = ['', *names] if n < 7 else ['a', *names]"),
    ("names = names[1:]", "lacks 'layer 0'", "names = names[1:] if n < 7 else names[:-1]"),
    ("names = names[::-1]", "in another order", "names = names[::-1] if n < 7 else []"),
    ("names = names + [str(n)]", "has all right entries, and", "names = names[n > 6:] + [str(n)]"),
    ("names = names[:n // 2]", "not all of them", "names = names[:n // 2] + ['b'] * (n > 6)"),
    ("size = size * 2", "the right result times 2", "size = size * 2 + (n > 6)"),
    ("size = -size", "is -y", "size = -size + (n > 6)"),
    ("size = float('nan')", "is nan everywhere", "size = float('nan') if n < 7 else 1.0"),
    ("size = str(size)", "is of the type str", "size = str(size) if n < 7 else None"),
    ("flag = None", "is None", "flag = None if n < 7 else 1"),
    ("flag = False", "is False; True is right", "flag = False if n < 6 else n < 7"),
    ("out = x.double()", "has the dtype float64", "out = x.double() if n < 7 else x + 1"),
    ("out = x[None]", "except for dimensions of size 1", "out = x[None] if n < 7 else x[1:]"),
    ("out = x.T", "has the right sizes in reverse order", "out = x.T if n < 7 else x[1:]"),
    (
        "out = x[..., None] + x[:, None]",
        "by +1",
        "out = x[..., None] + x[:, None] if n < 7 else x + 1",
    ),
]


@pytest.mark.parametrize(("mistake", "words", "almost"), PLAIN, ids=[row[1] for row in PLAIN])
def test_what_is_true_of_plain_answers_is_said_and_not_what_is_almost_true(
    plain_code: ProblemCode, mistake: str, words: str, almost: str
) -> None:
    found = told(plain_code, PLAIN_RIGHT.replace("HERE", mistake))
    assert any(words in each.words["en"] for each in found), found
    found = told(plain_code, PLAIN_RIGHT.replace("HERE", almost))
    assert found is not None
    assert not any(words in each.words["en"] for each in found), found


def test_the_words_of_a_probe_are_no_answer_of_another_type(plain_code: ProblemCode) -> None:
    found = told(plain_code, PLAIN_RIGHT.replace("HERE", "flag = flag or 'because'"))
    assert not any("type" in each.words["en"] for each in found), found


@pytest.mark.parametrize("item", ODD, ids=[str(number) for number in range(len(ODD))])
def test_no_plain_answer_makes_the_search_raise(plain_code: ProblemCode, item: Any) -> None:
    for answer in ({"names": item}, {"names": [item, [item]]}, {"size": item}, {"flag": item}):
        trials = []
        for each in rehearse(plain_code, PLAIN_RIGHT.replace("HERE", "pass"), ["f"], 3):
            changed = {**each.answer, **answer}
            graded = graded_again(plain_code, each, changed)
            judged = Rehearsed(
                planned=each.planned, case=each.case, answer=changed, grade=graded, ms=0.0
            )
            trials += split_case(plain_code, judged)
        find_symptoms(plain_code, trials)


def test_an_answer_that_is_missing_is_said_to_be(plain_code: ProblemCode) -> None:
    source = PLAIN_RIGHT.replace("HERE", "pass").replace("'flag': flag, ", "")
    assert any("missing" in each.words["en"] for each in told(plain_code, source))
    some = source.replace("'out': out}", "'out': out} | ({'flag': 0} if n > 6 else {})")
    assert not any("missing" in each.words["en"] for each in told(plain_code, some))


def test_a_flag_of_c_that_is_switched_is_no_number(code: ProblemCode) -> None:
    found = told(code, said("y").replace("mean(dim,", "mean(1 - dim,"))
    assert any("in place of" in each.words["en"] for each in found), found
    almost = said("y + (x.shape[0] == 6)").replace("mean(dim,", "mean(1 - dim,")
    found = told(code, almost)
    assert not any("in place of" in each.words["en"] for each in found), found


def test_results_that_are_never_wrong_are_named(code: ProblemCode) -> None:
    trials = [
        Trial(
            index=number,
            group="small",
            params={},
            case=Case(steps=(Request(op="ask", data={}),), secret={}),
            answer={"grad.a": 1, "grad.b": 1},
            findings=(Finding(code="WA", aspect="grad", key=wrong),),
            expected={
                name: Want(torch.zeros(1), 0.0, torch.float32) for name in ("grad.a", "grad.b")
            },
        )
        for number, wrong in enumerate(["grad.a"] * 4)
    ]
    assert [each[0] for each in find_outputs(trials)] == ["still_right"]
    other = (Finding(code="WA", aspect="grad", key="grad.b"),)
    assert find_outputs([*trials, replace(trials[3], findings=other)]) == []


def test_a_second_call_is_a_trial_of_its_own(code: ProblemCode) -> None:
    (planned, *_) = code.plan(3)
    first = code.build(planned)
    case = replace(first, again=first)
    right = code.expect_case(first)["out"]
    assert isinstance(right, Want)
    out = right.value.to(right.dtype)
    answer = {"out": out, "again:out": out * 2}
    judged = Rehearsed(
        planned=planned, case=case, answer=answer, grade=grade(code.expect(case), answer), ms=0.0
    )
    one, two = split_case(code, judged)
    assert (one.is_wrong, one.is_again) == (False, False)
    assert (two.is_wrong, two.is_again) == (True, True)
    found = find_symptoms(code, [one, two])
    assert found[0].words["en"] == "Every wrong result is the right result times 2."


def test_what_only_the_second_call_gets_wrong_is_said_of_it(code: ProblemCode) -> None:
    judged = list(rehearse(code, said("y * 2"), ["f"], 3))
    trials = [each for one in judged for each in split_case(code, one)]
    right = [replace(each, findings=(), expected={}) for each in trials]
    wrong = [replace(each, is_again=True) for each in trials]
    assert any("second call" in each.words["en"] for each in find_symptoms(code, right + wrong))
    almost = [replace(wrong[0], is_again=False), *wrong[1:]]
    found = find_symptoms(code, right + almost)
    assert not any("second call" in each.words["en"] for each in found), found


def test_a_wrong_result_of_another_form_is_not_among_those_that_are_compared(
    plain_code: ProblemCode,
) -> None:
    both = told(plain_code, PLAIN_RIGHT.replace("HERE", "out, names = x * 2, None"))
    words = [each.words["en"] for each in both]
    assert "Every wrong result that can be compared is the right result times 2." in words
    alone = told(plain_code, PLAIN_RIGHT.replace("HERE", "out = x * 2"))
    assert alone[0].words["en"] == "Every wrong result is the right result times 2."
