import pickle

import pytest

from torchstone.core import errors
from torchstone.core.verdict import ExitCode

pytestmark = pytest.mark.pure


def test_the_error_shape_is_the_published_one_in_both_languages() -> None:
    error = errors.BadInput("core.folder_unusable", path="/a", reason="full")
    assert error.shape("en") == {
        "ok": False,
        "code": "core.folder_unusable",
        "message": "The folder /a cannot be created: full.",
        "hint": "Create it yourself, or choose another with a TORCHSTONE_* variable.",
        "status": 400,
    }
    assert error.shape("zh")["message"] == "无法创建目录 /a：full。"
    assert str(error) == error.message("en")


@pytest.mark.parametrize(
    ("kind", "exit_code", "status"),
    [
        (errors.BadInput, ExitCode.MISUSE, 400),
        (errors.NotFound, ExitCode.MISUSE, 404),
        (errors.BrokenProblem, ExitCode.OUR_FAULT, 503),
        (errors.JudgeUnavailable, ExitCode.OUR_FAULT, 503),
        (errors.StoreError, ExitCode.OUR_FAULT, 503),
    ],
)
def test_each_error_says_whose_fault_it_is(
    kind: type[errors.TorchstoneError], exit_code: ExitCode, status: int
) -> None:
    error = kind("core.no_home")
    assert (error.exit_code, error.shape("en")["status"]) == (exit_code, status)


def test_values_may_look_like_placeholders_and_like_parameters() -> None:
    error = errors.BadInput("core.folder_unusable", path="{reason}", reason="{}", key="k", lang="x")
    assert error.message("en") == "The folder {reason} cannot be created: {}."


def test_a_code_without_a_sentence_is_our_fault_and_says_so() -> None:
    with pytest.raises(KeyError, match=r"no zh message 'core\.nothing\.message'"):
        errors.BadInput("core.nothing").message("zh")


def test_an_error_keeps_its_code_and_values_through_a_pickle() -> None:
    error = errors.BadInput("core.folder_unusable", path="/a", reason="full")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.values) == (error.code, error.values)
