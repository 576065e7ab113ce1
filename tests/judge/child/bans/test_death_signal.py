"""The module that stands in the place of ctypes has the death signal, and nothing else."""

import importlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NoReturn

import pytest

from torchstone.judge.child.bans import death_signal

pytestmark = pytest.mark.torch


class Stopped(Exception):
    """Raised where the program would end."""


def stop(name: str) -> NoReturn:
    raise Stopped(name)


@pytest.fixture
def ctypes() -> Iterator[Any]:
    kept = {name: sys.modules.get(name) for name in ("ctypes", "ctypes.util")}
    death_signal.use(stop)
    yield importlib.import_module("ctypes")
    for name, module in kept.items():
        if isinstance(module, ModuleType):
            sys.modules[name] = module
        else:
            del sys.modules[name]


def test_a_process_ends_with_its_parent(ctypes: Any) -> None:
    reader, writer = os.pipe()
    middle = os.fork()
    if not middle:
        if not os.fork():
            assert ctypes.CDLL(None).prctl(ctypes.c_int(1), signal.SIGKILL, 0, 0, 0) == 0
            os.write(writer, b"x")
            time.sleep(60)
            os._exit(0)
        os.read(reader, 1)
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(writer)
    os.waitpid(middle, 0)
    # The end of the pipe: no process has it open any more.
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_libraries_have_the_names_of_the_c_library(ctypes: Any) -> None:
    util = importlib.import_module("ctypes.util")
    for library in (
        ctypes.CDLL("libc.so.6", use_errno=True),
        ctypes.PyDLL(util.find_library("c")),
        ctypes.cdll.LoadLibrary("libc.so.6"),
        ctypes.cdll["libc.so.6"],
    ):
        assert library.getppid() == library["getppid"]() == os.getppid()
    assert util.find_library("m") is None


def test_another_option_fails_as_the_kernel_would(ctypes: Any) -> None:
    ctypes.set_errno(0)
    prctl = ctypes.CDLL(None).prctl
    prctl.errcheck = lambda result, function, args: (result, args)
    assert prctl(38, 1) == (-1, (38, 1))
    assert ctypes.get_errno() != 0
    prctl.errcheck = None
    with pytest.raises(RuntimeError):
        prctl(1, 10_000)


@pytest.mark.parametrize("name", ["string_at", "memmove", "pythonapi", "Structure", "POINTER"])
def test_any_other_name_ends_the_program(ctypes: Any, name: str) -> None:
    with pytest.raises(Stopped, match=name):
        getattr(ctypes, name)
    with pytest.raises(Stopped, match=name):
        getattr(ctypes.CDLL(None), name)
    with pytest.raises(Stopped):
        ctypes.CDLL("libm.so.6")
    # Python itself asks modules for such names.
    assert not hasattr(ctypes, "__wrapped__")


def test_the_denied_modules_say_whether_it_is_there(ctypes: Any) -> None:
    assert death_signal.denied_modules() == ["_ctypes"]
    sys.modules["ctypes"] = ModuleType("ctypes")
    assert death_signal.denied_modules() == ["ctypes", "_ctypes"]
