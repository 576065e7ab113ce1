# %% setup
import itertools

import torch
import torch.testing._internal.optests  # what opcheck imports at its first use
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.graph import saved_tensors_hooks
from torch.library import Library, custom_op, opcheck
from torch.nn import functional as F
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(0)


def objection(check):
    """Return what a check objects to; an empty text when it is content."""
    try:
        check()
    except (AssertionError, IndexError, RuntimeError) as error:
        return str(error)
    return ""


def verdict(op, test, *args):
    """Return what one test of opcheck says about an operator."""
    return str(opcheck(op, args, test_utils=test, raise_exception=False)[test])


class Traffic(TorchDispatchMode):
    """Note each operator that runs, and the bytes that it reads and writes."""

    def __init__(self):
        super().__init__()
        self.calls, self.bytes = [], 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.calls.append(func.overloadpacket.__name__)
        self.bytes += sum(t.nbytes for t in (*args, out) if isinstance(t, torch.Tensor))
        return out


def traffic(run):
    with torch.no_grad(), Traffic() as seen:
        run()
    return seen


def smooth(x):
    return x * torch.sigmoid(1.702 * x)


# %% 10.4.2.3.1 the inputs that find the faults
def careless(x):
    """Return the softmax of the rows of x, as one writes it for the first time."""
    rows = x.as_strided(x.shape, (x.shape[1], 1))
    return rows.exp() / rows.exp().sum(-1, keepdim=True)


def oracle(x):
    return x.double().softmax(-1).to(x.dtype)


def differs(x):
    return objection(lambda: assert_close(careless(x), oracle(x)))


tame = torch.randn(3, 4)
turned = torch.randn(4, 3).t()
print(differs(tame) == "", differs(turned)[13:27], careless(tame + 100)[0, 0].item())
# > True are not close! nan
assert not differs(tame)  # claim: tame-inputs-pass
assert "not close" in differs(turned)  # claim: strides-find-it
assert careless(tame + 100).isnan().any()  # claim: large-values-find-it
empty = torch.randn(3, 0)
assert oracle(empty).shape == (3, 0)  # claim: an-empty-row-is-legal
assert "amax" in objection(lambda: empty.amax(-1))  # claim: amax-refuses-it


# %% 10.4.2.3.1 oracle and law
def uniform(x):
    return torch.full_like(x, 1 / x.shape[-1])


def same_formula(x):
    return x.exp() / x.exp().sum(-1, keepdim=True)


large = tame + 100
sums = uniform(tame).sum(-1)
assert torch.allclose(sums, torch.ones(3))  # claim: a-law-alone-passes-nonsense
assert objection(lambda: assert_close(uniform(tame), oracle(tame)))  # claim: the-oracle-does-not
agree = objection(lambda: assert_close(careless(large), same_formula(large), equal_nan=True))
assert not agree  # claim: a-copy-shares-the-fault
assert oracle(large).isfinite().all()  # claim: another-formula-does-not

# %% 10.4.2.3.1 how close is close
ones, off = torch.ones(3), torch.full((3,), 1.0005)
strict = objection(lambda: assert_close(off, ones))
lenient = objection(lambda: assert_close(off.half(), ones.half()))
print(strict[-23:])
# > (up to 1.3e-06 allowed)
assert "1.3e-06 allowed" in strict  # claim: float32-is-held-tightly
assert not lenient  # claim: half-has-more-room
assert torch.allclose(ones, torch.ones(1))  # claim: allclose-broadcasts
shape = objection(lambda: assert_close(ones, torch.ones(1)))
assert "'shape' do not match" in shape  # claim: assert-close-wants-the-shape


# %% 10.4.2.3.2 a promise that the schema makes
@custom_op("bank::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x.mul_(2).clone()


said = verdict(doubled, "test_schema", torch.ones(3))
print(said)
# > Argument x is not defined as mutable but was mutated
assert "not defined as mutable" in said  # claim: an-undeclared-write-is-found


# %% 10.4.2.3.2 a fake that fits squares
@custom_op("bank::turned", mutates_args=())
def turned_copy(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous()


@turned_copy.register_fake
def _(x):
    return torch.empty_like(x)


square = verdict(turned_copy, "test_faketensor", torch.ones(3, 3))
oblong = verdict(turned_copy, "test_faketensor", torch.ones(3, 4))
print(square, oblong[-63:])
# > SUCCESS Shapes torch.Size([4, 3]) and torch.Size([3, 4]) are not equal!
assert square == "SUCCESS"  # claim: a-square-hides-it
assert "are not equal" in oblong  # claim: an-oblong-finds-it


# %% 10.4.2.3.2 a graph recorded at the wrong key
class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


library = Library("banklow", "FRAGMENT")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", Double.apply, "CPU")
twice = torch.ops.banklow.twice.default
plain = verdict(twice, "test_autograd_registration", torch.ones(3))
graded = verdict(twice, "test_autograd_registration", torch.ones(3, requires_grad=True))
assert "does not have an autograd kernel" in graded  # claim: a-backend-key-is-found
assert plain == "SUCCESS"  # claim: only-with-requires-grad


# %% 10.4.2.3.2 registered well and wrong
def squaring(name, factor):
    """Register x * x under a name, with factor * x as its derivative."""

    @custom_op(f"bank::{name}", mutates_args=())
    def op(x: torch.Tensor) -> torch.Tensor:
        return x * x

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    op.register_fake(torch.empty_like)
    op.register_autograd(lambda ctx, g: g * factor * ctx.saved_tensors[0], setup_context=keep)
    return op


right, wrong = squaring("right", 2), squaring("wrong", 1)
x = torch.randn(3, dtype=torch.double, requires_grad=True)
tests = ["test_schema", "test_autograd_registration", "test_faketensor"]
print([verdict(wrong, test, x) for test in tests])
# > ['SUCCESS', 'SUCCESS', 'SUCCESS']
assert all(verdict(wrong, t, x) == "SUCCESS" for t in tests)  # claim: opcheck-passes-it
found = objection(lambda: gradcheck(wrong, x))
assert "Jacobian mismatch" in found  # claim: gradcheck-finds-it
assert not objection(lambda: gradcheck(right, x))  # claim: gradcheck-passes-the-right-one


# %% 10.4.2.3.3 a clock that is turned by hand
from torch.utils import benchmark  # noqa: E402


class Clock:
    """An operator whose first call costs 1000, each tenth 30 and any other 1."""

    def __init__(self):
        self.now, self.threads = 0.0, set()
        self.costs = itertools.chain([1000], itertools.cycle([1] * 9 + [30]))

    def call(self):
        self.now += next(self.costs)
        self.threads.add(torch.get_num_threads())


clock = Clock()
timer = benchmark.Timer("call()", globals={"call": clock.call}, timer=lambda: clock.now)
times = timer.blocked_autorange(min_run_time=200)
print(len(times.times), times.median, max(times.times), round(times.mean, 2))
# > 55 1.0 30.0 3.64
assert max(times.times) < 1000  # claim: the-first-call-is-warm-up
assert len(times.times) > 50  # claim: replicates-fill-the-time
assert times.median == 1  # claim: the-median-is-the-usual-call
assert times.mean > 3 * times.median  # claim: the-mean-is-pulled
assert clock.threads == {1}  # claim: one-thread-unless-told


# %% 10.4.2.3.3 a call that returns before its work
class Device:
    """A device that works for 50 on a call that returns after 1."""

    now = done = 0.0

    def launch(self):
        self.now += 1
        self.done = max(self.done, self.now) + 50

    def waited(self):
        self.now = max(self.now, self.done)
        return self.now


def timed(device, clock):
    launch = {"launch": device.launch}
    return benchmark.Timer("launch()", globals=launch, timer=clock).timeit(20).median


hasty, patient = Device(), Device()
early, full = timed(hasty, lambda: hasty.now), timed(patient, patient.waited)
print(early, full)
# > 1.0 50.05
assert early == 1  # claim: without-waiting-the-launch-is-timed
assert full >= 50  # claim: waiting-times-the-work

# %% 10.4.2.3.3 the bound to compare with
x = torch.randn(1024)
least = 2 * x.nbytes
chain, single = traffic(lambda: smooth(x)), traffic(lambda: F.silu(x))
print(chain.calls, chain.bytes / least, single.bytes / least)
# > ['mul', 'sigmoid', 'mul'] 3.5 1.0
assert chain.bytes == 3.5 * least  # claim: a-chain-is-far-from-its-bound
assert single.bytes == least  # claim: a-single-pass-is-at-it


# %% 10.4.2.3.4 less work before faster work
def flops(run):
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


a, b, v = torch.randn(64, 64), torch.randn(64, 64), torch.randn(64, 1)
matrix_first, vector_first = flops(lambda: (a @ b) @ v), flops(lambda: a @ (b @ v))
print(matrix_first, vector_first)
# > 532480 16384
assert matrix_first > 32 * vector_first  # claim: brackets-change-the-work
assert torch.allclose((a @ b) @ v, a @ (b @ v), atol=1e-2)  # claim: brackets-keep-the-result


# %% 10.4.2.3.4 one call, and nothing read back
def clipped_one_by_one(x):
    rows = []
    for row in x:
        norm = torch.linalg.vector_norm(row).item()
        rows.append(row / norm if norm > 1 else row)
    return torch.stack(rows)


def clipped(x):
    return x / torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=1)


x = torch.randn(32, 4)
jobs = [(clipped_one_by_one, x), (clipped, x), (clipped, x[:2])]
loop, whole, few = (traffic(lambda f=f, rows=rows: f(rows)).calls for f, rows in jobs)
print(loop.count("_local_scalar_dense"), whole)
# > 32 ['linalg_vector_norm', 'clamp', 'div']
assert loop.count("_local_scalar_dense") == 32  # claim: the-loop-reads-each-norm
assert "_local_scalar_dense" not in whole  # claim: one-call-reads-none
assert whole == few  # claim: the-calls-do-not-grow
assert torch.allclose(clipped_one_by_one(x), clipped(x))  # claim: the-rows-are-the-same

# %% 10.4.2.3.4 a copy that nobody needs
turned = torch.randn(64, 32).t()
copied, direct = traffic(lambda: F.silu(turned.contiguous())), traffic(lambda: F.silu(turned))
print(copied.calls, direct.calls, copied.bytes / direct.bytes)
# > ['clone', 'silu'] ['silu'] 2.0
assert copied.bytes == 2 * direct.bytes  # claim: contiguous-doubles-the-traffic
assert direct.calls == ["silu"]  # claim: strides-need-no-copy


# %% 10.4.2.3.4 keep one tensor, compute the rest again
class Smooth(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return smooth(x)

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0]
        s = torch.sigmoid(1.702 * x)
        return g * (s + 1.702 * x * s * (1 - s))


def saved(run):
    """Count the distinct tensors that are saved for backward."""
    kept = []
    with saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        run()
    return len({t.data_ptr() for t in kept})


x = torch.randn(4, dtype=torch.double, requires_grad=True)
print(saved(lambda: smooth(x)), saved(lambda: Smooth.apply(x)))
# > 2 1
assert saved(lambda: smooth(x)) == 2  # claim: the-formula-saves-two
assert saved(lambda: Smooth.apply(x)) == 1  # claim: the-function-saves-one
assert not objection(lambda: gradcheck(Smooth.apply, x))  # claim: the-gradient-is-still-right
assert not objection(lambda: gradgradcheck(Smooth.apply, x))  # claim: so-is-the-second
