"""A kernel that is called from Python gets memory, and looks at nothing else of a tensor."""

from typing import Any

import pytest
import torch

from torchstone.judge.child.loaders.kernel import KernelError, Launcher


class Doubling:
    """Stand where a module of the simulator stands: y = 2 x over the floats that came."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def answer(self, data: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(data)
        return {"ascending:y": 2 * data["values"]["x"], "ascending:status": 7}


def launch(x: torch.Tensor | None, y: torch.Tensor | None, n: int) -> tuple[Launcher, Doubling]:
    module = Doubling()
    launcher = Launcher(module)  # type: ignore[arg-type]
    assert launcher.launch("double", {"x": x, "n": n}, {"y": y}, {"x": n, "y": n}) == 7
    return launcher, module


def test_memory_is_read_and_written_in_its_own_order() -> None:
    x, y = torch.arange(6.0).view(2, 3).t(), torch.zeros(2, 3)
    launcher, _ = launch(x, y, 6)
    assert y.view(-1).tolist() == [0, 2, 4, 6, 8, 10]
    assert launcher.num_launches == 1


def test_it_begins_at_the_address_of_a_view() -> None:
    whole, y = torch.arange(8.0), torch.zeros(8)
    launch(whole[3:], y[4:], 2)
    assert y.tolist() == [0, 0, 0, 0, 6, 8, 0, 0]


def test_the_bytes_of_another_dtype_are_floats_too() -> None:
    x, y = torch.ones(2, dtype=torch.float64), torch.zeros(4)
    launch(x, y, 4)
    assert y.tolist() == [0, 3.75, 0, 3.75]


def test_null_pointers_are_left_out() -> None:
    _, module = launch(torch.ones(3), torch.zeros(3), 3)
    assert list(module.asked[0]["values"]) == ["x", "n"]
    module = Doubling()
    nothing = {"x": torch.ones(1), "mask": None}
    Launcher(module).launch("double", nothing, {"y": None}, {"x": 1, "y": 1})  # type: ignore[arg-type]
    assert list(module.asked[0]["values"]) == ["x"]
    assert module.asked[0]["outputs"] == {}


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.ones(5), "6 floats are needed, its memory ends after 5"),
        (torch.ones(9)[4:], "6 floats are needed, its memory ends after 5"),
        (torch.ones(1).expand(6), "6 floats are needed, its memory ends after 1"),
        (torch.ones(40, dtype=torch.uint8)[1:], "its address is no multiple of 4"),
        (torch.empty(6, device="meta"), "its device is meta"),
    ],
)
def test_memory_that_ends_too_early_is_refused(x: torch.Tensor, words: str) -> None:
    with pytest.raises(KernelError, match=words):
        launch(x, torch.zeros(6), 6)
