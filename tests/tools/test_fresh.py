import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

FRESH = Path(__file__).resolve().parents[2] / "tools/fresh.sh"
GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org"]


def commit(root: Path, makefile: str) -> None:
    (root / "tools").mkdir(parents=True)
    shutil.copy(FRESH, root / "tools/fresh.sh")
    (root / "Makefile").write_text(makefile)
    subprocess.run([*GIT, "init", "-q", str(root)], check=True)
    subprocess.run([*GIT, "-C", str(root), "add", "."], check=True)
    subprocess.run([*GIT, "-C", str(root), "commit", "-q", "-m", "First"], check=True)
    # Not committed, so a newcomer does not have it.
    (root / "forgotten.txt").write_text("")


def run_fresh(root: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(root / "tools/fresh.sh")],
        env={"PATH": os.environ["PATH"], "HOME": str(root), **environ},
        capture_output=True,
        text=True,
    )


def test_the_clone_sees_an_empty_environment_but_pip_s_configuration(tmp_path: Path) -> None:
    commit(tmp_path, "run:\n\t@env; ls; cat $$HOME/.config/pip/pip.conf\ntest:\n\t@true\n")
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/pip/pip.conf").write_text("[global]\nof = mine\n")
    done = run_fresh(
        tmp_path, PIP_ARGS_WITH="two words", TORCHSTONE_PIP_ARGS="-i x", TORCHSTONE_DATA="/mine"
    )
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert "PIP_ARGS_WITH=two words" in lines
    assert "TORCHSTONE_PIP_ARGS=-i x" in lines
    assert "of = mine" in lines
    assert "TORCHSTONE_DATA" not in done.stdout
    assert f"HOME={tmp_path}" not in lines
    assert "forgotten.txt" not in lines
    assert lines[-1] == "fresh: make run 0, make test 0"


@pytest.mark.parametrize(("run", "test"), [("true", "false"), ("false", "true")])
def test_either_failure_is_a_failure_and_both_are_run(tmp_path: Path, run: str, test: str) -> None:
    commit(tmp_path, f"run:\n\t@{run}\ntest:\n\t@{test}\n")
    done = run_fresh(tmp_path)
    assert done.returncode != 0
    statuses = {"true": 0, "false": 2}
    assert f"fresh: make run {statuses[run]}, make test {statuses[test]}" in done.stdout


def test_run_has_no_terminal_to_wait_on(tmp_path: Path) -> None:
    commit(tmp_path, "run:\n\t@if read line; then exit 1; fi\ntest:\n\t@true\n")
    assert run_fresh(tmp_path).returncode == 0
