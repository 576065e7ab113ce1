import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

FRESH = Path(__file__).resolve().parents[2] / "tools/fresh.sh"
GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org"]


# What `make run` comes to: it says where the page is, serves it, and ends well when told to.
SERVER = """
import http.server, signal, sys

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PAGE)

def leave(*_):
    sys.exit(STATUS)

PAGE, STATUS = sys.argv[1].encode(), int(sys.argv[2])
server = http.server.HTTPServer(("127.0.0.1", 0), Page)
signal.signal(signal.SIGTERM, leave)
print(f"Torchstone is at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
"""
SERVE = "exec python3 server.py /assets/x.js 0"


def commit(root: Path, makefile: str) -> None:
    (root / "tools").mkdir(parents=True)
    shutil.copy(FRESH, root / "tools/fresh.sh")
    (root / "Makefile").write_text(makefile)
    (root / "server.py").write_text(SERVER)
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
    commit(
        tmp_path, f"run:\n\t@env; ls; cat $$HOME/.config/pip/pip.conf; {SERVE}\ntest:\n\t@true\n"
    )
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


@pytest.mark.parametrize(
    ("run", "test", "statuses"),
    [
        (SERVE, "false", "make run 0, make test 2"),
        ("false", "true", "make run 1, make test 0"),
        # It ends before anybody told it to.
        ("true", "true", "make run 1, make test 0"),
        # It serves something else.
        ("exec python3 server.py nothing 0", "true", "make run 1, make test 0"),
        # It takes being told to end for a failure.
        ("exec python3 server.py /assets/x.js 7", "true", "make run 2, make test 0"),
    ],
)
def test_either_failure_is_a_failure_and_both_are_run(
    tmp_path: Path, run: str, test: str, statuses: str
) -> None:
    commit(tmp_path, f"run:\n\t@{run}\ntest:\n\t@{test}\n")
    done = run_fresh(tmp_path)
    assert done.returncode != 0
    assert f"fresh: {statuses}" in done.stdout


def test_run_has_no_terminal_to_wait_on(tmp_path: Path) -> None:
    commit(tmp_path, f"run:\n\t@if read line; then exit 1; fi; {SERVE}\ntest:\n\t@true\n")
    assert run_fresh(tmp_path).returncode == 0
