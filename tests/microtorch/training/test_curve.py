"""The picture of a training is a whole SVG with one point for each epoch."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from torchstone.microtorch.training.curve import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw_curve
from torchstone.microtorch.training.curve import curve as draw

pytestmark = pytest.mark.pure

SVG = "{http://www.w3.org/2000/svg}"


def history(*pairs: tuple[float, float]) -> list[dict[str, float]]:
    return [{"loss": loss, "accuracy": accuracy, "seconds": 1.0} for loss, accuracy in pairs]


def lines(picture: str) -> list[list[tuple[float, float]]]:
    found = ElementTree.fromstring(picture).iter(f"{SVG}polyline")
    return [
        [tuple(map(float, point.split(","))) for point in each.attrib["points"].split()]
        for each in found
    ]


@pytest.mark.parametrize("count", [1, 2, 300])
def test_there_is_a_point_for_each_epoch_inside_the_frame(count: int) -> None:
    picture = draw(history(*((3.0 / n, 1 - 1 / n) for n in range(1, count + 1))))
    for line in lines(picture):
        assert len(line) == count
        for x, y in line:
            assert LEFT <= x <= WIDTH - RIGHT
            assert TOP <= y <= HEIGHT - BOTTOM


def test_the_greatest_loss_is_on_top_and_accuracy_has_a_scale_of_its_own() -> None:
    losses, accuracies = lines(draw(history((2.0, 0.0), (1.0, 0.5), (0.0, 1.0))))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    assert [y for _, y in losses] == [TOP, middle, HEIGHT - BOTTOM]
    assert [y for _, y in accuracies] == [HEIGHT - BOTTOM, middle, TOP]


@pytest.mark.parametrize("loss", [0.0, 1e-30, 1e30])
def test_losses_of_any_size_can_be_drawn(loss: float) -> None:
    ((_, y),) = lines(draw(history((loss, 0.5))))[0]
    assert TOP <= y <= HEIGHT - BOTTOM


def test_the_last_numbers_stand_in_the_title() -> None:
    title = ElementTree.fromstring(draw(history((2.0, 0.1), (0.12345, 0.9876)))).find(f"{SVG}title")
    assert title is not None
    assert title.text == "loss 0.1235, accuracy 0.9876"


def test_a_picture_replaces_the_one_that_is_there_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "loss.svg"
    for pairs in (((2.0, 0.1),), ((2.0, 0.1), (1.0, 0.5))):
        draw_curve(history(*pairs), path)
        assert path.read_text(encoding="utf-8") == draw(history(*pairs))
    assert list(tmp_path.iterdir()) == [path]
