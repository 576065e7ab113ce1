"""Simulated runs with one planted bottleneck each, and healthy runs.

All are variants of the same training program, ``healthy_step``, so that they differ only in the
bottleneck. ``line`` is the frame to edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torchstone.doctor.simulate.actions import (
    Action,
    Alloc,
    Annotate,
    Backward,
    Copy,
    Exchange,
    Frame,
    Kernel,
    Load,
    Op,
    Remember,
    Step,
    Sync,
)
from torchstone.doctor.simulate.machine import Recording, run
from torchstone.doctor.simulate.write import Form

_GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
_SGEMM = "ampere_sgemm_128x64_nn"
_TINY = "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor>"
_DIMS = ((4096, 4096), (4096, 4096))
_BATCH_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """Run with a known diagnosis.

    Attributes:
        code: Correct verdict.
        line: Frame of the planted line; empty if there is none.
        ranks: Steps of each rank.
        form: Preferred file format.
    """

    code: str
    ranks: tuple[tuple[Step, ...], ...]
    line: str = ""
    form: Form = field(default_factory=Form)

    def record(self, *, quantum_ns: int = 1) -> list[Recording]:
        """Simulate the run, and return the recording of each rank."""
        return run(self.ranks, quantum_ns=quantum_ns)


def layer(number: int, *, us: float = 300.0, name: str = _GEMM, backward: bool = False) -> Op:
    """Return an operator that launches one large product."""
    kernel = Kernel(device_us=us * (2 if backward else 1), name=name)
    if backward:
        outer, inner = f"autograd::engine::evaluate_function: MmBackward{number}", "MmBackward0"
        mm = Op(name="aten::mm", us=8, dims=_DIMS, dtype="c10::BFloat16", do=(kernel,))
        do = (Op(name=inner, us=6, sequence=f"mm{number}", do=(mm,)),)
        return Op(name=outer, us=6, do=do)
    return Op(
        name="aten::mm",
        us=12,
        dims=_DIMS,
        dtype="c10::BFloat16",
        sequence=f"mm{number}",
        do=(kernel,),
    )


def tiny(number: int, *, us: float = 20.0, device_us: float = 3.0) -> tuple[Op, ...]:
    """Return operators that each launch a kernel of a few microseconds."""
    one = Op(
        name="aten::mul", us=us, dims=((64,), (64,)), do=(Kernel(device_us=device_us, name=_TINY),)
    )
    return (one,) * number


def upload(size: int = _BATCH_BYTES, *, pinned: bool = True, gbps: float = 20.0) -> Op:
    """Return a batch copy to the device; from pageable memory it blocks."""
    call_us = 8.0 if pinned else size / gbps / 1e3
    copy = Copy(us=call_us, size=size, pinned=pinned, gbps=gbps)
    after = () if pinned else (Sync(stream=copy.stream),)
    return Op(name="aten::copy_", us=6, do=(copy, *after))


def item(where: str = "train.py(41): log_loss") -> Frame:
    """Return a read of a device scalar."""
    copy = Copy(way="DtoH", size=4, device_us=2)
    local = Op(name="aten::_local_scalar_dense", us=4, do=(copy, Sync()))
    return Frame(where=where, us=6, do=(Op(name="aten::item", us=4, do=(local,)),))


def healthy_step(
    *,
    first: Sequence[Action] = (),
    load: Load | None = None,
    batch: Op | None = None,
    inside: Sequence[Action] = (),
    exchange: Sequence[Action] = (),
    last: Sequence[Action] = (),
    layer_us: float = 300.0,
    kernel: str = _GEMM,
) -> Step:
    """Return a step that keeps its device busy, with actions inserted at a given place."""
    forward = [layer(at, us=layer_us, name=kernel) for at in range(12)]
    backward = [layer(at, us=layer_us, name=kernel, backward=True) for at in reversed(range(12))]
    return (
        *first,
        load or Load(us=80, workers=True),
        batch or upload(),
        Frame(where="model.py(20): forward", us=30, do=(*forward[:6], *inside, *forward[6:])),
        Backward(us=20, do=(*backward, *exchange)),
        Annotate(name="Optimizer.step#AdamW.step", us=40, do=tiny(6, us=10, device_us=60)),
        *last,
    )


def _steps(step: Step, number: int = 6) -> tuple[Step, ...]:
    return (step,) * number


def _one(code: str, step: Step, line: str = "", form: Form | None = None) -> Patient:
    return Patient(code=code, ranks=(_steps(step),), line=line, form=form or Form())


def _loader(workers: bool) -> Patient:
    where = "torch/utils/data/dataloader.py(1251): _try_get_data" if workers else _DECODE
    load = Load(us=60, workers=workers, do=(Frame(where=where, us=25_000),))
    return _one(
        "TS-D002" if workers else "TS-D001", healthy_step(load=load), "" if workers else where
    )


_DECODE = "dataset.py(31): __getitem__"


def _preparation() -> Patient:
    where = "train.py(57): make_mask"
    return _one("TS-D004", healthy_step(first=(item(), Frame(where=where, us=8_000))), where)


def _pageable() -> Patient:
    where = "train.py(33): to_device"
    batch = upload(48 << 20, pinned=False, gbps=5.0)
    return _one("TS-P001", healthy_step(first=(Frame(where=where, us=9, do=(batch,)),)), where)


def _pinned() -> Patient:
    return _one("TS-P002", healthy_step(batch=upload(200 << 20, gbps=22.0)))


def _download() -> Patient:
    where = "train.py(62): keep_logits"
    size = 64 << 20
    copy = Copy(way="DtoH", size=size, pinned=True, gbps=20.0, us=8)
    down = Op(name="aten::copy_", us=6, do=(copy, Sync()))
    return _one("TS-P003", healthy_step(last=(Frame(where=where, us=9, do=(down,)),)), where)


def _synchronisation() -> Patient:
    where = "train.py(41): log_loss"
    reads = tuple(
        each for _ in range(12) for each in (item(where), Frame(where=where, us=150), *_LARGE)
    )
    return _one("TS-S001", healthy_step(inside=reads), where)


_LARGE = (layer(99, us=120.0),)


def _launch() -> Patient:
    where = "model.py(75): many_small"
    return _one(
        "TS-L001", healthy_step(inside=(Frame(where=where, us=900, do=tiny(400, us=75)),)), where
    )


_KEPT = (("count_words", 100.0), ("format_row", 50.0), ("smooth", 30.0))


def _interpreter(share: float = 0.5, line: str = "train.py(71): count_words") -> Patient:
    """Return a run without a device in which Python takes a given share of the time."""
    kept = tuple(
        Frame(where=f"train.py({71 + 10 * at}): {name}", us=us)
        for at, (name, us) in enumerate(_KEPT)
    )
    python = sum(us for _, us in _KEPT)
    product = Op(name="aten::mm", us=python * (1 - share) / share, dims=((256, 256), (256, 256)))
    code = "TS-L001" if line else "TS-H001"
    return _one(code, (*kept, product) * 40, line)


def _float32() -> Patient:
    return _one("TS-K002", healthy_step(kernel=_SGEMM))


def _exposed() -> Patient:
    buckets = tuple(
        Op(name="c10d::allreduce_", us=20, do=(Exchange(device_us=2_000, size=25 << 20),))
        for _ in range(3)
    )
    # Consumers of the gradients wait for them.
    use = Op(name="aten::_foreach_add_", us=9, do=(Kernel(device_us=40, after=(20,), name=_TINY),))
    step = healthy_step(exchange=(*buckets, use))
    return Patient(code="TS-C001", ranks=(_steps(step), _steps(step)))


def _allocation() -> Patient:
    where = "train.py(70): clean_up"
    calls = (Sync(call="cudaDeviceSynchronize"), *(Alloc(call="cudaFree", us=400),) * 4)
    back = tuple(Op(name="aten::empty", us=4, do=(Alloc(us=300),)) for _ in range(4))
    done = Frame(where=where, us=20, do=(*calls, *back))
    return _one("TS-M001", healthy_step(last=(done,)), where)


def _cold() -> Patient:
    load = Op(name="aten::mm", us=12, do=(Alloc(call="cudaMalloc", us=60_000),))
    steps = (healthy_step(inside=(load,)), *_steps(healthy_step(), 5))
    return Patient(code="TS-W001", ranks=(steps,))


def _unexplained() -> Patient:
    late = Op(name="aten::mm", us=12, do=(Kernel(device_us=100, latency_us=9_000, name=_GEMM),))
    # The device starts it long after its launch, and the trace does not contain the cause.
    return _one("TS-U001", healthy_step(inside=(late,), last=(Sync(),)))


def _with_memory() -> Patient:
    step = healthy_step(
        first=(Remember(size=1 << 20), Remember(size=-(1 << 20)), Remember(size=64, device=-1)),
        last=(Remember(size=-64, device=-1),),
    )
    return _one("TS-H001", step)


def _overlapped() -> Patient:
    """Return ranks that overlap communication with computation; the last bucket is short."""
    backward = tuple(
        Op(name="c10d::allreduce_", us=20, do=(Exchange(device_us=150, size=25 << 20),))
        for _ in range(2)
    )
    step = healthy_step(exchange=backward)
    return Patient(code="TS-H001", ranks=(_steps(step), _steps(step)))


PATIENTS: dict[str, Patient] = {
    "loader": _loader(workers=False),
    "workers": _loader(workers=True),
    "preparation": _preparation(),
    "pageable": _pageable(),
    "upload": _pinned(),
    "download": _download(),
    "synchronisation": _synchronisation(),
    "launch": _launch(),
    "interpreter": _interpreter(),
    "float32": _float32(),
    "communication": _exposed(),
    "allocation": _allocation(),
    "cold": _cold(),
    "unexplained": _unexplained(),
    "healthy": _one("TS-H001", healthy_step()),
    "healthy-logs": _one("TS-H001", healthy_step(last=(item(),))),
    "healthy-amd": _one(
        "TS-H001",
        healthy_step(kernel="Cijk_Ailk_Bljk_BBS_BH_MT128x128x32"),
        form=Form(vendor="hip", device="AMD Instinct MI250X", capability=(9, 0)),
    ),
    "healthy-memory": _with_memory(),
    "healthy-processor": _interpreter(share=0.15, line=""),
    "healthy-ranks": _overlapped(),
}
