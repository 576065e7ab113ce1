"""What a session remembers from one request to the next."""

from types import SimpleNamespace

import pytest
import torch

from torchstone.judge.child import driver
from torchstone.judge.kit import call

pytestmark = pytest.mark.torch


def test_the_result_of_the_call_before_keeps_no_graph() -> None:
    session = driver.Session()
    submission = SimpleNamespace(loss=lambda x: x.exp().sum())
    request = call("loss", torch.ones(4), wrt=(0,), cotangents=(torch.ones(()),))
    found = driver.answer(submission, request.op, request.data, session)
    assert found["grad.0"].tolist() == pytest.approx([2.718281828] * 4)
    assert [tensor.grad_fn for tensor, _ in session.previous] == [None]
