"""The kernels in CUDA C++ are compiled by nvcc where there is one."""

import ctypes
import os
import shutil
from pathlib import Path

import pytest

from tests.kernels.standing_in import Compiler
from tests.run_folder import run_folder
from torchstone.kernels import cuda
from torchstone.kernels.build import BuildError
from torchstone.kernels.cuda.attention import _Attention
from torchstone.kernels.cuda.build import SOURCES, build, declare

pytestmark = pytest.mark.torch


def test_without_nvcc_the_error_names_what_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BuildError, match="there is no nvcc; torchstone"):
        build("sm_90")


def test_each_file_is_compiled_for_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = Compiler(folder=tmp_path)
    stand_in.write()
    stand_in.gate.touch()
    (tmp_path / "nvcc").symlink_to(stand_in.path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "cache"))
    library = build("sm_90")
    assert [path.name for path in library.parent.iterdir()] == [library.name]
    objects = {f"{path.stem}.o" for path in SOURCES.glob("*.cu")}
    assert set(stand_in.calls()) == {*objects, library.name}
    assert build("sm_90") == library
    assert len(stand_in.calls()) == len(objects) + 1
    assert build("sm_80") != library


@pytest.mark.full
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is wanted")
def test_nvcc_compiles_all_of_them(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder("nvcc", tmp_path_factory)
    monkeypatch.setenv("TORCHSTONE_CACHE", str(folder))
    library = build("sm_90")
    assert [path.name for path in library.parent.iterdir()] == [library.name]
    functions = declare(ctypes.CDLL(str(library)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "library", lambda: functions)
        for name in cuda.operators():
            assert getattr(functions, f"torchstone_{name}").argtypes
    # A type that is none is refused, whether there is a card or not.
    assert functions.torchstone_layer_norm(9, 0, *[None] * 6, 1, 1, 1e-5, None) == 1
    assert functions.torchstone_softmax(9, None, None, 1, 1, None) == 1
    assert functions.torchstone_bias_gelu(9, 0, None, None, None, 1, 1, None) == 1
    assert functions.torchstone_flash_attention(9, ctypes.byref(_Attention()), None) == 1
