"""Every exported solution passes the exported tests, and every starter fails."""

import re
from pathlib import Path

import pytest

from tests.bank.closed_environment import run_tests
from tests.shipped import shipped_bank
from torchstone.bank.export import export_bank

pytestmark = [pytest.mark.torch, pytest.mark.full]


def test_all_problems_pass_with_their_solutions_and_fail_with_their_starters(
    tmp_path: Path,
) -> None:
    export_bank(shipped_bank(), tmp_path / "out")
    tests = sorted((tmp_path / "out/tests").glob("test_*.py"))
    passed = run_tests(tmp_path / "out", "--solutions")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    failed = run_tests(tmp_path / "out", "-rf")
    with_failures = set(re.findall(r"^FAILED tests/(test_\w+\.py)", failed.stdout, re.MULTILINE))
    assert with_failures == {path.name for path in tests}
