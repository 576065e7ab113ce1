"""Patience shrinks where it is in vain, and comes back."""

import pytest

from torchstone.distributed.patience import Patience

pytestmark = [pytest.mark.torch]


def test_who_has_waited_in_vain_waits_no_more_in_this_pass_and_shorter_in_the_next() -> None:
    patience = Patience(1.0)
    patience.give_up()
    assert patience.left_s == 0.0
    # A second time is no reason to wait even shorter.
    patience.give_up()
    patience.end_pass()
    assert patience.left_s == 0.25


def test_patience_comes_back_as_far_as_it_was_and_never_ends() -> None:
    patience = Patience(1.0)
    for _ in range(40):
        patience.give_up()
        patience.end_pass()
    assert 0 < patience.left_s < 1e-3
    for _ in range(40):
        patience.end_pass()
    assert patience.left_s == 1.0


def test_without_patience_there_is_none_later() -> None:
    patience = Patience(0.0)
    patience.give_up()
    patience.end_pass()
    assert patience.left_s == 0.0
