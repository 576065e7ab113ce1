"""The seam: what runs by default, what the backend puts in its place, and what it says without."""

import importlib.util
import subprocess
import sys

import pytest

from torchstone.microtorch import backends, kernels

pytestmark = pytest.mark.pure


def test_importing_the_package_imports_neither_numba_nor_the_compiled_forms():
    code = (
        "import sys, torchstone.microtorch as torch\n"
        "from torchstone.microtorch import kernels\n"
        "torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2)\n"
        "assert not kernels.numba.enabled\n"
        "assert not {'numba', 'torchstone.microtorch.kernels_numba'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_numba_the_error_says_what_to_install_and_nothing_changes(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install numba") as caught:
        kernels.numba.enabled = True
    assert caught.value.name == "numba"
    assert not kernels.numba.is_available()
    assert not kernels.numba.enabled
    kernels.numba.enabled = False


def test_the_switch_is_a_backend_of_the_package():
    assert backends.numba is kernels.numba


def test_enabling_switches_every_kernel_that_has_a_form_and_disabling_switches_back():
    assert kernels.numba.is_available()
    kernels.numba.enabled = True
    try:
        assert kernels.numba.enabled
        assert all(each.run is each.compiled for each in kernels.kernels)
        assert all(each.compiled is not each.plain for each in kernels.kernels)
    finally:
        kernels.numba.enabled = False
    assert not kernels.numba.enabled
    assert all(each.run is each.plain for each in kernels.kernels)


def test_a_kernel_runs_its_form_only_while_that_is_chosen():
    def double(x: int) -> int:
        return 2 * x

    kernel = kernels.Kernel(double)
    kernels.kernels.remove(kernel)
    kernel.form(lambda x: -2 * x)
    assert kernel(3) == 6
    kernel.run = kernel.compiled
    assert kernel(3) == -6
