"""Scripts that were written for PyTorch run as they are, with the same losses."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.training.images import DIGITS

pytestmark = [pytest.mark.torch, pytest.mark.full]
FOLDER = Path(__file__).with_name("scripts")


@contextmanager
def standing_in() -> Iterator[None]:
    """Let ``import torch`` find MicroTorch, and ``import torch.nn`` its parts."""
    before = {name: each for name, each in sys.modules.items() if name.split(".")[0] == "torch"}
    for name in before:
        del sys.modules[name]
    sys.modules["torch"] = micro
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        sys.modules.update(before)


def losses(script: str, module: Any, *arguments: str) -> list[float]:
    with standing_in() if module is micro else nullcontext():
        spec = importlib.util.spec_from_file_location(f"script_{script}", FOLDER / f"{script}.py")
        assert spec is not None
        assert spec.loader is not None
        run = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(run)
        return list(run.main(list(arguments)))


SCRIPTS = [
    "sentence_gpt", "averaging_lstm", "penalty_gan", "resumed_folds",
    "rotary_llama", "continuous_ppo",
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_has_the_losses_that_it_has_with_pytorch(script: str) -> None:
    ours, theirs = losses(script, micro), losses(script, torch)
    # Rounding differs from the first step on, and grows from step to step.
    np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)


def test_so_does_one_with_arguments_and_a_checkpoint(tmp_path: Path) -> None:
    def run(module: Any, name: str) -> list[float]:
        saved = str(tmp_path / name)
        return losses("digit_reader", module, str(DIGITS), "--keep", saved)

    ours, theirs = run(micro, "ours.pt"), run(torch, "theirs.pt")
    np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-4)
    # Read again, it is the network that was kept.
    assert ours[-2:] == ours[-4:-2]
    assert ours[-2] > 0.5
    # Either reads what PyTorch has written.
    state = micro.load(tmp_path / "theirs.pt")["network"]
    assert list(state) == list(micro.load(tmp_path / "ours.pt")["network"])


def test_parts_are_the_same_modules_under_both_names() -> None:
    with standing_in():
        import torch.nn.functional
        import torch.optim.lr_scheduler
        import torch.utils.data

        assert torch.nn.functional is micro.nn.functional
        assert torch.utils.data.DataLoader is micro.utils.data.DataLoader
        assert torch.optim.lr_scheduler is micro.optim.lr_scheduler
        assert torch.nn.functional.__name__ == "torchstone.microtorch.nn.functional"
        with pytest.raises(ModuleNotFoundError, match=r"torch\.nothing"):
            importlib.import_module("torch.nothing")
