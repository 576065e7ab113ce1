"""Own inputs are kept under names that a page and a terminal can show."""

import pytest

from torchstone.app.home import Home
from torchstone.app.problems import kept_inputs
from torchstone.app.problems.kept_inputs import (
    InputExists,
    delete_input,
    find_input,
    keep_input,
    list_inputs,
    rename_input,
)
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure

TEXT = "x = torch.zeros(2)\nsoftmax(x)"


def test_an_input_is_kept_found_renamed_and_deleted(home: Home) -> None:
    assert list_inputs(home, "01").inputs == ()
    kept = keep_input(home, "softmax", "  two zeros ", TEXT)
    assert (kept.problem, [each.name for each in kept.inputs]) == ("01", ["two zeros"])
    assert find_input(home, "1", "two zeros") == TEXT
    assert [each.name for each in rename_input(home, "01", "two zeros", "两个零").inputs] == [
        "两个零"
    ]
    assert rename_input(home, "01", "两个零", "两个零").inputs[0].code == TEXT
    assert delete_input(home, "01", "两个零").inputs == ()
    for lost in ("two zeros", "两个零"):
        with pytest.raises(NotFound):
            find_input(home, "01", lost)
        with pytest.raises(NotFound):
            delete_input(home, "01", lost)
        with pytest.raises(NotFound):
            rename_input(home, "01", lost, "new")


def test_a_text_replaces_another_one_only_if_asked(home: Home) -> None:
    keep_input(home, "01", "small", "softmax(x)")
    keep_input(home, "01", "large", "softmax(y)")
    with pytest.raises(InputExists) as caught:
        keep_input(home, "01", "small", TEXT)
    assert caught.value.status == 409
    with pytest.raises(InputExists):
        rename_input(home, "01", "small", "large")
    assert find_input(home, "01", "small") == "softmax(x)"
    keep_input(home, "01", "small", TEXT, replace=True)
    assert find_input(home, "01", "small") == TEXT


@pytest.mark.parametrize(
    "label", ["", "  ", "n" * 65, "two\nlines", "\x1b[31mred", "@small", "\u202eright"]
)
def test_a_name_is_one_line_of_visible_characters(home: Home, label: str) -> None:
    with pytest.raises(BadInput) as caught:
        keep_input(home, "01", label, TEXT)
    assert caught.value.code == "app.input_name"
    keep_input(home, "01", "small", TEXT)
    with pytest.raises(BadInput):
        rename_input(home, "01", "small", label)


def test_an_input_has_a_text_of_some_length(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for code in ("", " \n", "x" * 20_001, "x\0"):
        with pytest.raises(BadInput):
            keep_input(home, "01", "small", code)
    monkeypatch.setattr(kept_inputs, "MAX_INPUTS", 2)
    keep_input(home, "01", "a", TEXT)
    keep_input(home, "01", "b", TEXT)
    with pytest.raises(BadInput) as caught:
        keep_input(home, "01", "c", TEXT)
    assert caught.value.code == "app.input_many"
    keep_input(home, "01", "b", "other(x)", replace=True)
    keep_input(home, "02", "c", TEXT)
