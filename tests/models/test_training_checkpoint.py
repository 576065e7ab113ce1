"""A checkpoint comes back as it was, or is refused by name; a failed write leaves the old one."""

from pathlib import Path

import pytest
import torch

from torchstone.models.refusal import Refusal
from torchstone.models.training_checkpoint import load, require_same_plan, save

pytestmark = pytest.mark.torch

PLAN = {"width": 4, "name": "a"}


def saved(folder: Path) -> Path:
    path = folder / "deep" / "checkpoint.pt"
    save(path, "test", PLAN, {"weight": torch.arange(2000.0), "step": 3})
    return path


def test_it_comes_back(tmp_path: Path) -> None:
    path = saved(tmp_path)
    plan, state = load(path, "test")
    assert plan == PLAN
    assert state["step"] == 3
    assert torch.equal(state["weight"], torch.arange(2000.0))
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("place", [0, 400, 3000, -30])
def test_a_flipped_byte_is_found(tmp_path: Path, place: int) -> None:
    path = saved(tmp_path)
    held = bytearray(path.read_bytes())
    held[place] ^= 0xFF
    path.write_bytes(held)
    with pytest.raises(Refusal) as refused:
        load(path, "test")
    assert refused.value.code == "checkpoint_broken"


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_half_a_file_is_refused(tmp_path: Path, share: float) -> None:
    path = saved(tmp_path)
    held = path.read_bytes()
    path.write_bytes(held[: int(share * len(held))])
    with pytest.raises(Refusal) as refused:
        load(path, "test")
    assert refused.value.code == "checkpoint_broken"


def test_what_would_run_code_is_refused(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    path = tmp_path / "trap.pt"
    torch.save({"kind": "test", "version": 1, "plan": {}, "state": Trap()}, path)
    with pytest.raises(Refusal) as refused:
        load(path, "test")
    assert refused.value.code == "checkpoint_broken"
    assert not (tmp_path / "sprung").exists()


def test_another_program_s_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with pytest.raises(Refusal, match="not a checkpoint of this program"):
        load(path, "other")
    torch.save([1, 2], path)
    with pytest.raises(Refusal, match="not a checkpoint of this program"):
        load(path, "test")


def test_a_missing_one_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as missing:
        load(tmp_path / "none.pt", "test")
    assert missing.value.code == "checkpoint_missing"
    with pytest.raises(Refusal) as folder:
        load(tmp_path, "test")
    assert folder.value.code == "unreadable"


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(Refusal, match="No space left"):
        save(path, "test", PLAN, {})
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_another_plan_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path)
    require_same_plan(path, PLAN, dict(PLAN))
    with pytest.raises(Refusal, match="width 4; this run uses 8"):
        require_same_plan(path, PLAN, PLAN | {"width": 8})
    with pytest.raises(Refusal, match="this run uses None"):
        require_same_plan(path, PLAN, {"width": 4})


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal) as refused:
        save(tmp_path / "file" / "deep" / "checkpoint.pt", "test", PLAN, {})
    assert refused.value.code == "unwritable"
