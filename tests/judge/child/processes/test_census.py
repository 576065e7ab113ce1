"""The census counts what the kernel shows, and says when the kernel shows nothing."""

import errno
import os
import subprocess
import sys

import pyseccomp
import pytest

from torchstone.judge.child.processes import census
from torchstone.judge.child.processes.rank import NOT_READY_STATUS

pytestmark = pytest.mark.torch

# A container without CAP_SYS_PTRACE answers so to kcmp.
REFUSED = f"""
import os, pyseccomp
from torchstone.judge.child.processes import census, program
rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
rules.add_rule(pyseccomp.ERRNO({errno.EPERM}), "kcmp")
rules.load()
following = object.__new__(program.Program)
following._census = census.JobCensus()
following._taken(os.getpid())
"""


def test_it_counts_the_descriptors_of_another_process() -> None:
    reader, writer = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(reader, writer),
    )
    assert child.stdout is not None
    child.stdout.readline()
    counted = census.JobCensus().take(child.pid).descriptors
    assert counted == len(os.listdir(f"/proc/{child.pid}/fd"))
    assert counted >= 5
    child.communicate()
    os.close(reader)
    os.close(writer)


def test_a_kernel_that_refuses_kcmp_is_a_fault_of_the_judge_and_not_of_the_program() -> None:
    assert pyseccomp.ALLOW is not None
    done = subprocess.run(
        [sys.executable, "-c", REFUSED], capture_output=True, text=True, check=False
    )
    assert done.returncode == NOT_READY_STATUS, done.stderr
    assert "the kernel refuses kcmp (Operation not permitted)" in done.stderr
    assert "Traceback" not in done.stderr
