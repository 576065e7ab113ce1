"""What scripts set before they begin: threads, precision, determinism, flags, compilation."""

import subprocess
import sys

import pytest

import torchstone.microtorch as micro
from torchstone.microtorch import settings


@pytest.fixture
def threads() -> object:
    before = micro.get_num_threads()
    yield before
    micro.set_num_threads(before)


def test_the_number_of_threads_is_that_of_openblas(threads: int) -> None:
    if settings._openblas("get_num_threads") is None:
        assert threads == 1
        return
    micro.set_num_threads(1)
    assert micro.get_num_threads() == 1
    micro.set_num_threads(2)
    assert settings._openblas("get_num_threads")() == micro.get_num_threads() == 2


def test_where_there_is_no_openblas_one_thread_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_openblas", lambda verb: None)
    micro.set_num_threads(8)
    assert micro.get_num_threads() == 1


@pytest.mark.parametrize(
    ("num", "message"), [(0, "expects a positive integer"), (1.5, "an int, but got float")]
)
def test_a_number_of_threads_is_refused(num: object, message: str) -> None:
    for name in ("set_num_threads", "set_num_interop_threads"):
        with pytest.raises(RuntimeError, match=f"{name} expects .*{message[8:]}"):
            getattr(micro, name)(num)


def test_what_is_set_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_precision", "_deterministic", "_num_interop_threads"):
        monkeypatch.setattr(settings, name, getattr(settings, name))
    micro.set_float32_matmul_precision("high")
    assert micro.get_float32_matmul_precision() == "high"
    with pytest.warns(UserWarning, match="low is not one of"):
        micro.set_float32_matmul_precision("low")
    assert micro.get_float32_matmul_precision() == "high"
    micro.use_deterministic_algorithms(True, warn_only=True)
    assert micro.are_deterministic_algorithms_enabled()
    assert micro.is_deterministic_algorithms_warn_only_enabled()
    micro.set_num_interop_threads(3)
    assert micro.get_num_interop_threads() == 3


def test_compiling_gives_what_was_given() -> None:
    def double(x: int) -> int:
        return 2 * x

    assert micro.compile(double) is double
    assert micro.compile(mode="max-autotune", fullgraph=True)(double) is double
    assert micro.jit.script(double) is double
    assert not micro.jit.is_scripting()


def test_flags_of_backends_keep_what_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    backends = micro.backends
    assert not backends.cudnn.is_available()
    assert not backends.mps.is_available()
    monkeypatch.setattr(backends.cudnn, "benchmark", False)
    with backends.cudnn.flags(benchmark=True, deterministic=True):
        assert backends.cudnn.benchmark
        assert backends.cudnn.deterministic
    assert not backends.cudnn.benchmark
    assert not backends.cudnn.deterministic
    assert backends.cuda.matmul.allow_tf32 is False
    assert backends.cuda.flash_sdp_enabled()
    backends.cuda.enable_flash_sdp(False)
    assert not backends.cuda.flash_sdp_enabled()
    assert backends.cuda.math_sdp_enabled()
    backends.cuda.enable_flash_sdp(True)
    assert not hasattr(backends.cuda, "nothing_of_the_kind")


def test_there_is_no_accelerator() -> None:
    assert not micro.accelerator.is_available()
    assert micro.accelerator.device_count() == 0
    assert micro.accelerator.current_accelerator() is None
    assert not micro.cuda.is_bf16_supported()
    assert micro.cuda.max_memory_allocated() == 0
    with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
        micro.accelerator.synchronize()


def test_bfloat16_may_be_named_but_not_used() -> None:
    assert micro.float32 != micro.bfloat16
    assert repr(micro.bfloat16) == "torch.bfloat16"
    with pytest.raises(TypeError, match=r"torch\.bfloat16: NumPy has no such type"):
        micro.ones(2).to(micro.bfloat16)


def test_none_of_it_is_imported_before_it_is_asked_for() -> None:
    names = ["accelerator", "amp", "backends", "cuda", "distributed", "distributions", "jit"]
    names += ["settings", "testing", "version"]
    code = (
        "import sys, torchstone.microtorch\n"
        f"print([n for n in {names} if 'torchstone.microtorch.' + n in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_script_is_alone_and_its_network_is_not_copied() -> None:
    inputs, network = micro.ones(1, 2), micro.nn.Linear(2, 1)
    copies = micro.nn.DataParallel(network)
    assert list(copies.state_dict()) == ["module.weight", "module.bias"]
    assert micro.equal(copies(inputs), network(inputs))
    assert not micro.distributed.is_initialized()
    for refused in (micro.distributed.barrier, micro.nn.parallel.DistributedDataParallel):
        with pytest.raises(RuntimeError, match="trains in one process"):
            refused(network)


def test_every_place_but_the_cpu_is_refused_as_the_default() -> None:
    micro.set_default_device("cpu")
    assert micro.get_default_device() == micro.device("cpu")
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        micro.set_default_device("cuda")
