"""The picture of the tour is what is drawn of the network that it shows."""

from pathlib import Path

import pytest

import torchstone.microtorch as torch
from torchstone.microtorch import nn

pytestmark = pytest.mark.pure
PICTURE = Path(__file__).parents[3] / "docs/pictures/microtorch_graph.svg"


def test_the_picture_of_the_tour_is_drawn_by_it() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    loss = ((model(torch.ones(4, 2)) - torch.ones(4, 1)) ** 2).mean()
    drawn = torch.autograd.graph.to_svg(loss, dict(model.named_parameters()))
    assert drawn == PICTURE.read_text(encoding="utf-8")


def test_what_has_no_history_is_an_empty_picture() -> None:
    assert "<rect" not in torch.autograd.graph.to_svg(torch.ones(1))
