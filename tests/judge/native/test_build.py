import pytest

from torchstone.judge.native import build

pytestmark = pytest.mark.pure


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path))
    return tmp_path


def fake_compiler(folder, script):
    path = folder / "compiler"
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo fake 1 && exit 0\n{script}\n')
    path.chmod(0o755)
    return str(path)


WRITES = 'for last; do :; done; echo built >> "$0.log"; echo library > "$last"'


def test_a_second_call_compiles_nothing(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", fake_compiler(tmp_path, WRITES))
    first = build.library()
    assert build.library() == first
    assert first.read_text() == "library\n"
    assert (tmp_path / "compiler.log").read_text() == "built\n"


def test_another_compiler_is_another_library(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", fake_compiler(tmp_path, WRITES))
    first = build.library()
    monkeypatch.setattr(build, "FLAGS", (*build.FLAGS, "-g"))
    assert build.library() != first


def test_a_missing_compiler_is_named(cache, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(build.NativeBuildError, match="no-such-compiler"):
        build.library()


def test_a_failing_compiler_is_quoted_and_leaves_nothing(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", fake_compiler(tmp_path, "echo some reason >&2; exit 1"))
    with pytest.raises(build.NativeBuildError, match="some reason"):
        build.library()
    assert [path.name for path in (cache / "native").iterdir()] == ["build.lock"]
