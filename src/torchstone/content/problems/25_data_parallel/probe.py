"""Stand for several devices in one process: where a tensor lies, who touches it, who runs when.

A device is a mark on the storage of a tensor. `put` copies and marks; inside `scope` a dispatch
mode marks what is computed and notes each operator that reads a tensor of another device. The
modules below report from inside their `forward`. The oracle runs them without devices.
"""

import _thread
import builtins
import contextlib
import sys
import time
from collections import Counter, OrderedDict, namedtuple
from functools import partial

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

Tensor, Module, Parameter = torch.Tensor, nn.Module, nn.Parameter
clone, detach, untyped_storage = Tensor.clone, Tensor.detach, Tensor.untyped_storage
address = torch.UntypedStorage._cdata.__get__
needs_grad = vars(torch._C.TensorBase)["requires_grad"].__get__
grad_of = vars(torch._C.TensorBase)["grad"].__get__
backward, is_grad_enabled = torch.autograd.backward, torch.is_grad_enabled
no_grad, enable_grad = torch.no_grad, torch.enable_grad
named_parameters, named_buffers = Module.named_parameters, Module.named_buffers
state_dict, parameters_of = Module.state_dict, Module.parameters
this_thread, make_lock, num_threads = _thread.get_ident, _thread.allocate_lock, _thread._count
frames_now, processor_s, sleep = sys._current_frames, time.process_time, time.sleep
push_mode, pop_mode = torch._C._push_on_torch_dispatch_stack, torch._C._pop_torch_dispatch_stack
num_modes, mode_at = torch._C._len_torch_dispatch_stack, torch._C._get_dispatch_stack_at
DOUBLE = torch.float64

Both = namedtuple("Both", "first second")


class Broken(RuntimeError):
    """Something that a module of the judge raises."""


# --- liveness -------------------------------------------------------------------------------------

POLL_S = 0.02
# So many looks in a row at which no other thread has moved, and so little processor time meanwhile.
STILL, BUSY_S = 100, 0.2
# Once somebody has waited in vain in this process, nobody waits for others again, and not as long
# for the end of threads.
STILL_AGAIN = 5
in_vain = []


class Patience:
    """Notice that no other thread moves any more; a slow machine only makes it take longer."""

    def __init__(self):
        self.seen, self.count, self.spent = None, 0, 0.0

    def is_over(self):
        seen, spent = places(), processor_s()
        if seen != self.seen or spent - self.spent > BUSY_S:
            self.seen, self.spent, self.count = seen, spent, 0
        self.count += 1
        if self.count <= (STILL_AGAIN if in_vain else STILL):
            return False
        in_vain.append(True)
        return True


def places():
    """Return where each thread stands in its program, but for those that wait here."""
    frames = frames_now()
    return {
        (ident, id(frame), frame.f_lasti)
        for ident, frame in frames.items()
        if frame.f_code not in WAITING
    }


class Meeting:
    """Let threads go on when all have come; False when some never will."""

    def __init__(self, size):
        self.size, self.lock, self.gate = size, make_lock(), make_lock()
        self.gate.acquire()

    def wait(self):
        if in_vain:
            return False
        with self.lock:
            self.size -= 1
            if self.size == 0:
                self.gate.release()
        patience = Patience()
        while not self.gate.acquire(True, POLL_S):
            if patience.is_over():
                return False
        self.gate.release()
        return True


def threads_left(before):
    """Return how many threads there are more than before, when none of them moves any more."""
    patience = Patience()
    while num_threads() > before:
        if patience.is_over():
            return num_threads() - before
        sleep(POLL_S / 10)
    return 0


WAITING = (places.__code__, Meeting.wait.__code__, Patience.is_over.__code__, threads_left.__code__)


# --- devices --------------------------------------------------------------------------------------

# The stage of the current request; what stands on it is for the judge alone.
stages = []


class Stage:
    """Hold what is known of devices, tensors and calls during one request."""

    def __init__(self, num_devices, dim=0):
        self.devices = [Device(number) for number in range(num_devices)]
        self.dim = dim
        # By the address of a storage, which lives as long as it is here: its device.
        self.homes, self.scopes, self.strange = {}, {}, set()
        self.names = {}
        self.begin()

    def begin(self, *, meeting=None, sleeps=(), raises=None):
        """Begin a new call, which has a protocol of its own."""
        self.puts, self.visits, self.notes, self.met = [], [], set(), []
        self.meeting, self.sleeps, self.raises = meeting, sleeps, raises or {}

    def here(self):
        """Return the device of this thread, -1 outside all scopes."""
        scopes = self.scopes.get(this_thread())
        return scopes[-1] if scopes else -1

    def settle(self, tensor, number):
        """Note that a tensor lies on a device, if it is not known to lie on another."""
        storage = untyped_storage(tensor)
        self.homes.setdefault(address(storage), (number, storage))

    def home(self, tensor):
        return self.homes.get(address(untyped_storage(tensor)), (None,))[0]

    def look(self, number, function, args, result):
        """Judge one operator on a device, or outside all scopes, where one device is as good."""
        homes = {self.home(tensor) for tensor in tensors_in(args)} - {None}
        others = homes - {number} if number >= 0 else homes if len(homes) > 1 else ()
        if others and not is_view(function):
            where = number if number >= 0 else "-"
            self.strange.add(f"{function} @{where}: {' '.join(map(str, sorted(others)))}")
        if number < 0 and len(homes) == 1:
            (number,) = homes
        if number >= 0:
            for tensor in tensors_in(result):
                self.settle(tensor, number)

    def visit(self, module, args, kwargs):
        """Note a call of the judge's module, from inside it, and follow the protocol."""
        number = self.here()
        if not is_watched(self, number):
            self.strange.add("operators are not watched")
        self.visits.append((number, form_of((args, kwargs)), is_grad_enabled(), module))
        if self.meeting is not None:
            self.met.append(self.meeting.wait())
        if self.sleeps and number >= 0:
            sleep(self.sleeps[number])
        if number in self.raises:
            kind, seconds = self.raises[number]
            sleep(seconds)
            raise ERRORS[kind](f"replica {number} broke")


class Watch(TorchDispatchMode):
    """Show every operator of a thread to the stage."""

    def __init__(self, stage, number):
        super().__init__()
        self.stage, self.number = stage, number

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nothing is compiled here, and the detour takes longer than most operators

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.stage.look(self.number, func, (args, kwargs or {}), result)
        return result


def is_watched(stage, number):
    """Return whether the stage sees the operators of this thread, if it is in a scope."""
    if number < 0:
        return True
    mode = mode_at(num_modes() - 1) if num_modes() else None
    return type(mode) is Watch and mode.stage is stage and mode.number == number


class Scope:
    """Let a thread compute on one device."""

    def __init__(self, number):
        self.number, self.stage = number, stages[-1]

    def __enter__(self):
        self.stage.scopes.setdefault(this_thread(), []).append(self.number)
        push_mode(Watch(self.stage, self.number))

    def __exit__(self, *error):
        pop_mode(None)
        self.stage.scopes[this_thread()].pop()


class Device:
    """A simulated device."""

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"<device {self.number}>"

    def put(self, tensor):
        """Copy a tensor to this device; gradients go back."""
        stage = stages[-1]
        stage.puts.append((self.number, address(untyped_storage(tensor))))
        # The copy reads one device and writes another: nobody watches it.
        modes = [pop_mode(None) for _ in range(num_modes())]
        try:
            copied = clone(tensor)
        finally:
            for mode in reversed(modes):
                push_mode(mode)
        stage.settle(copied, self.number)
        return copied

    def scope(self):
        """Return a context in which this thread computes on this device."""
        return Scope(self.number)


PARTS = (Device, Scope, Watch, Stage, Meeting, Patience)


def members():
    found = {(kind, name): item for kind in PARTS for name, item in vars(kind).items()}
    return {key: (item, getattr(item, "__code__", None)) for key, item in found.items()}


def is_untouched():
    """Return whether the devices are those of the judge."""
    now = members()
    return all(now.get(key) == item for key, item in PRISTINE.items())


def tensors_in(tree):
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from tensors_in(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from tensors_in(item)


views = {}


def is_view(function):
    """Return whether an operator only makes another view, and so reads no element."""
    if function not in views:
        returns = function._schema.returns
        views[function] = bool(returns) and all(
            item.alias_info is not None and not item.alias_info.is_write for item in returns
        )
    return views[function]


def form_of(tree):
    """Describe a structure: types, shapes of tensors, other values."""
    if isinstance(tree, Tensor):
        return f"tensor{tuple(tree.shape)}"
    if isinstance(tree, dict):
        inner = ", ".join(f"{key}: {form_of(value)}" for key, value in tree.items())
        return f"{type(tree).__name__}({inner})"
    if isinstance(tree, (list, tuple)):
        return f"{type(tree).__name__}({', '.join(map(form_of, tree))})"
    return repr(tree) if tree is None or type(tree) in (bool, int, float, str) else "another type"


# --- modules --------------------------------------------------------------------------------------


def visit(module, *args, **kwargs):
    if stages:
        stages[-1].visit(module, args, kwargs)


def note(fact, *, holds):
    if stages and not holds:
        stages[-1].notes.add(fact)


class Linear(nn.Linear):
    """A layer whose values come with the request; drawing others takes as long as a call."""

    def reset_parameters(self):
        """Leave the memory as it is."""


class Net(Module):
    """Two layers."""

    def __init__(self, sizes):
        super().__init__()
        self.first = Linear(sizes[0], sizes[1], dtype=DOUBLE)
        self.second = Linear(sizes[1], sizes[2], dtype=DOUBLE)

    def forward(self, x, shift=0.0):
        visit(self, x)
        return self.second(self.first(x).tanh()) + shift


class Layer(Module):
    """One layer."""

    def __init__(self, sizes):
        super().__init__()
        self.layer = Linear(sizes[0], sizes[1], dtype=DOUBLE)

    def forward(self, x):
        visit(self, x)
        return self.layer(x)


class Columns(Net):
    """A net whose samples are columns."""

    def forward(self, x):
        visit(self, x)
        return self.second(self.first(x.mT).tanh()).mT


class Words(Module):
    """A table that integers look up, a frozen layer and a factor."""

    def __init__(self, sizes):
        super().__init__()
        self.table = nn.Embedding(sizes[0], sizes[1], dtype=DOUBLE)
        self.frozen = Linear(sizes[1], sizes[2], dtype=DOUBLE).requires_grad_(False)
        self.factor = Parameter(torch.ones((), dtype=DOUBLE))

    def forward(self, words, x):
        visit(self, words, x)
        return self.frozen(self.table(words) * x) * self.factor


class Tied(Module):
    """One weight in two layers, one layer listed twice, one parameter under two names."""

    def __init__(self, sizes):
        super().__init__()
        width = sizes[0]
        self.encode = Linear(width, width, dtype=DOUBLE)
        self.decode = Linear(width, width, dtype=DOUBLE)
        self.decode.weight = self.encode.weight
        block = Linear(width, width, dtype=DOUBLE)
        self.blocks = nn.ModuleList([block, nn.Tanh(), block])
        self.scale = Parameter(torch.ones(width, dtype=DOUBLE))
        self.also = self.scale

    def forward(self, x):
        visit(self, x)
        note("blocks[0] is blocks[2]", holds=self.blocks[0] is self.blocks[2])
        x = self.encode(x) * self.scale
        for block in self.blocks:
            x = block(x)
        return self.decode(x) * self.also


class Normed(Module):
    """Batch normalisation with statistics that run, and with none."""

    def __init__(self, sizes):
        super().__init__()
        self.linear = Linear(sizes[0], sizes[1], dtype=DOUBLE)
        self.running = nn.BatchNorm1d(sizes[1], dtype=DOUBLE)
        self.bare = nn.BatchNorm1d(sizes[1], affine=False, track_running_stats=False, dtype=DOUBLE)
        self.register_buffer("calls", torch.zeros(2, dtype=DOUBLE), persistent=False)

    def forward(self, x):
        visit(self, x)
        if self.training:
            self.calls += len(x)
        x = self.linear(x)
        return self.running(x) + self.bare(x) * float(self.calls[0])


class Odd(Module):
    """Attributes that cannot be copied, entries that are None, and any structure."""

    def __init__(self, sizes):
        super().__init__()
        self.linear = Linear(sizes[0], sizes[1], bias=False, dtype=DOUBLE)
        self.register_module("skip", None)
        self.register_buffer("mask", None)
        self.register_parameter("shift", None)
        self.sizes = list(sizes)

    def forward(self, *args, **kwargs):
        visit(self, *args, **kwargs)
        for name in ("skip", "mask", "shift"):
            note(f"{name} is None", holds=getattr(self, name) is None)
        note("linear.bias is None", holds=self.linear.bias is None)
        note("sizes", holds=self.sizes[:2] == [*self.linear.weight.shape][::-1])
        return self.answer(*args, **kwargs)

    def answer(self, pair, table, both, *, weights, options):
        (x, [y, scale]), z = pair, table["z"]
        # As many as there are samples: all weights give wrong values, and raise nothing.
        out = self.linear(x) * weights[: len(x)] + y[: len(x)] * scale + z[: len(z)].sum()
        outputs = OrderedDict(last=both.first * 2, first=[out, (out.sum(1), None)])
        return Both(outputs, {"mean": out.mean(), "size": z.exp()})


class Kept(Net):
    """Attributes that nobody can copy, and a hook."""

    def __init__(self, sizes):
        super().__init__(sizes)
        self.lock, self.numbers = make_lock(), (number for number in ())
        self.first.register_forward_hook(lambda module, args, out: 2 * out)

    def forward(self, x):
        visit(self, x)
        with self.lock:
            return self.second(self.first(x))


class Losses(Net):
    """Means over a part of the batch."""

    def forward(self, x):
        visit(self, x)
        out = self.second(self.first(x).tanh())
        return {"loss": out.square().mean(), "parts": (out.abs().mean(), out)}


class Loss(Net):
    """One number."""

    def forward(self, x):
        visit(self, x)
        return self.second(self.first(x).tanh()).square().mean()


class Plain(Net):
    """No tensor comes in."""

    def forward(self, text, count):
        visit(self, text, count)
        return self.first.weight * count


MODELS = {kind.__name__: kind for kind in (Net, Columns, Words, Tied, Normed, Odd)}
MODELS |= {kind.__name__: kind for kind in (Kept, Layer, Losses, Loss, Plain)}
ERRORS = {
    "ValueError": ValueError,
    "KeyError": KeyError,
    "ZeroDivisionError": ZeroDivisionError,
    "OSError": OSError,
    "RuntimeError": RuntimeError,
    "Broken": Broken,
}


def make(spec):
    """Build a module of the judge with given values."""
    module = MODELS[spec["kind"]](spec["sizes"]).train(spec["train"])
    with no_grad():
        for name, value in spec["state"].items():
            place, _, last = name.rpartition(".")
            target = getattr(module.get_submodule(place), last)
            target.copy_(value)
    return module


def arguments(call):
    """Return positional and keyword arguments; containers that cannot travel are made here."""
    args, kwargs = tuple(call["args"]), dict(call["kwargs"])
    if call.get("odd"):
        x, y, z, w, weights = args
        pair, table = (x, [y, 2.5]), OrderedDict(z=z, n=3)
        args = (pair, table, Both(w, "text"))
        kwargs = {"weights": weights, "options": {"mode": None, "on": True}}
    return args, kwargs


# --- requests -------------------------------------------------------------------------------------


def probe(submission, op, data, tools):
    """Answer one operation of this problem."""
    stages.clear()
    try:
        found = OPERATIONS[op](submission, data, tools)
    finally:
        stages.clear()
    return found | {"devices untouched": is_untouched()}


class Act:
    """One wrapped module on a stage, and what becomes of it."""

    def __init__(self, submission, data, tools):
        self.data, self.tools = data, tools
        self.module = make(data["model"])
        self.stage = Stage(data["devices"], data["dim"])
        stages.append(self.stage)
        tensors = [*named_parameters(self.module), *named_buffers(self.module)]
        for name, tensor in tensors:
            self.stage.settle(tensor, 0)
            self.stage.names[address(untyped_storage(tensor))] = name
        self.parameters = dict(named_parameters(self.module))
        self.before = {name: tools.storage_snapshot(p) for name, p in self.parameters.items()}
        given = (
            {} if data["output"] is None else {"output_device": self.stage.devices[data["output"]]}
        )
        given |= {"dim": data["dim"]} if data["dim"] else {}
        self.wrapped = submission.DataParallel(self.module, list(self.stage.devices), **given)

    def call(self, call, *, train=True, **protocol):
        """Make one call; return its result."""
        args, kwargs = arguments(call)
        inputs = list(tensors_in((args, kwargs)))
        for tensor in inputs:
            self.stage.settle(tensor, 0)
        before = [self.tools.storage_snapshot(tensor) for tensor in inputs]
        state = self.tools.global_state()
        self.stage.begin(**protocol)
        with (enable_grad if train else no_grad)(), watching(self.stage):
            result = self.wrapped(*args, **kwargs)
        self.tools.same_state(state)
        if any(map(self.tools.storage_changed, inputs, before)):
            raise self.tools.Fault("call_mutated")
        return result

    def seen(self):
        """Describe what the replicas of the last call saw."""
        stage = self.stage
        visits = sorted(stage.visits, key=lambda each: each[:2])
        # One replica may as well be the module itself, outside all scopes.
        numbers = [0 if number < 0 and len(visits) == 1 else number for number, *_ in visits]
        found = {"on": numbers, "saw": [form for _, form, *_ in visits]}
        found["grad mode"] = [mode for _, _, mode, _ in visits]
        found["own modules"] = len({id(module) for *_, module in visits}) == len(visits)
        found["notes"] = " ".join(sorted(stage.notes))
        puts = Counter((number, stage.names.get(place)) for number, place in stage.puts)
        mine = {key: count for key, count in puts.items() if key[1] in self.parameters}
        found["put twice"] = " ".join(
            f"{name}@{n}" for (n, name), count in mine.items() if count > 1
        )
        used = max(1, len(visits))
        found["put in vain"] = " ".join(sorted({name for n, name in puts if name and n >= used}))
        return found

    def end(self):
        """Describe what is left of the module."""
        same = [
            p is q
            for p, q in zip(parameters_of(self.wrapped), self.parameters.values(), strict=False)
        ]
        changed = [
            name
            for name, p in self.parameters.items()
            if self.tools.storage_changed(p, self.before[name])
        ]
        found = {
            "keys": list(state_dict(self.wrapped)),
            "strange": "; ".join(sorted(self.stage.strange)[:3]),
        }
        found["parameters kept"] = len(same) == len(self.parameters) and all(same) and not changed
        for name, buffer in named_buffers(self.module):
            found[f"buffer.{name}"] = self.tools.plain(buffer)
        return found


@contextlib.contextmanager
def watching(stage):
    """Watch operators outside all scopes, in the thread of the caller."""
    push_mode(Watch(stage, -1))
    try:
        yield
    finally:
        pop_mode(None)


def described(prefix, result, tools, stage):
    """Return the form of a result, its tensors, and where they lie."""
    tensors = list(tensors_in(result))
    found = {f"{prefix}form": form_of(result)}
    found |= {f"{prefix}{number}": tools.plain(tensor) for number, tensor in enumerate(tensors)}
    found[f"{prefix}lies on"] = [-1 if stage.home(t) is None else stage.home(t) for t in tensors]
    return found


def apply(submission, data, tools):
    """Call a wrapped module one or more times, with its gradients."""
    calls, results, found = data["calls"], [], {}
    leaves = [call["args"][place].requires_grad_() for call in calls for place in call["leaves"]]
    act = Act(submission, data, tools)
    for number, call in enumerate(calls):
        meeting = Meeting(data["meet"]) if data["meet"] else None
        before = num_threads()
        result = act.call(call, train=data["train"], meeting=meeting)
        if meeting is not None:
            found["all at once"] = act.stage.met == [True] * data["meet"]
            found["threads left"] = threads_left(before)
        found |= {f"{number}.{key}": item for key, item in act.seen().items()}
        found |= described(f"{number}.out.", result, tools, act.stage)
        tensors = [tensor for tensor in tensors_in(result) if needs_grad(tensor)]
        found[f"{number}.has graph"] = bool(tensors)
        results.append(list(zip(tensors, call["cotangents"], strict=False)))
    for pairs in results[::-1] if data["reversed"] else results:
        pairs = [(tensor, other) for tensor, other in pairs if tensor.shape == other.shape]
        if pairs:
            backward([tensor for tensor, _ in pairs], [other for _, other in pairs])
    if any(call["cotangents"] for call in calls):
        for name, parameter in act.parameters.items():
            found[f"grad.{name}"] = tools.plain(grad_of(parameter))
        for number, leaf in enumerate(leaves):
            found[f"grad.input{number}"] = tools.plain(grad_of(leaf))
    return found | act.end()


def stress(submission, data, tools):
    """Make the same call again and again, while the replicas sleep for random times."""
    act, first = Act(submission, data, tools), None
    before, call = num_threads(), data["calls"][0]
    for sleeps in data["sleeps"].tolist():
        if first is None:
            first = result = act.call(call, sleeps=sleeps)
            args, kwargs = arguments(call)
            continue
        act.stage.begin(sleeps=sleeps)
        with enable_grad(), watching(act.stage):
            result = act.wrapped(*args, **kwargs)
        modules = {id(module) for *_, module in act.stage.visits}
        if len(modules) < len(act.stage.visits):
            raise tools.Fault("replicas_share_module")
        if not (tools.is_plain(result) and tools.same_bits(first, result)):
            raise tools.Fault("replicas_differ")
    found = {f"0.{key}": item for key, item in act.seen().items()}
    found |= described("0.out.", result, tools, act.stage)
    return found | act.end() | {"threads left": threads_left(before)}


def fail(submission, data, tools):
    """Let replicas raise, and call once more when nobody does."""
    act, found = Act(submission, data, tools), {}
    for number, raises in enumerate(data["raises"]):
        raises = {int(place): kind for place, kind in raises.items()}
        before, meeting = num_threads(), Meeting(data["meet"])
        call = data["calls"][0]
        attempted = partial(act.call, call, meeting=meeting, raises=raises)
        raised = tools.attempt(attempted).get("raised")
        if raised is not None:
            found[f"{number}.raised"] = raised
            found[f"{number}.message"] = raised["message"]
        found[f"{number}.threads left"] = threads_left(before)
    found |= described("0.out.", act.call(data["calls"][0]), tools, act.stage)
    return found | act.end()


def refuse(submission, data, tools):
    """Make calls that must be refused."""
    stage = Stage(2)
    stages.append(stage)
    found = {}

    def nowhere():
        submission.DataParallel(make(data["model"]), [])(data["x"])

    def gathered():
        outputs = [
            {name: device.put(data["x"]) for name in names}
            for device, names in zip(stage.devices, data["names"], strict=False)
        ]
        submission.gather(outputs, stage.devices[0])

    for name, call in (("no devices", nowhere), ("other keys", gathered)):
        attempted = tools.attempt(call)
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def shard(submission, data, tools):
    """Scatter structures."""
    found = {}
    for name, call in data["scatters"].items():
        stage = Stage(call["devices"])
        stages.append(stage)
        args, kwargs = arguments(call)
        inputs = args[0] if call["alone"] else (args, kwargs)
        for tensor in tensors_in(inputs):
            stage.settle(tensor, 0)
        given = {"dim": call["dim"]} if call["dim"] else {}
        with watching(stage):
            parts = list(submission.scatter(inputs, list(stage.devices), **given))
        found[f"{name}.parts"] = [form_of(part) for part in parts]
        for number, part in enumerate(parts):
            tensors = list(tensors_in(part))
            homes = {stage.home(tensor) for tensor in tensors}
            found[f"{name}.{number} there"] = homes <= {number}
            for place, tensor in enumerate(tensors):
                found[f"{name}.{number}.{place}"] = tools.plain(tensor)
    return found


def join(submission, data, tools):
    """Gather structures that lie on several devices, and run modules side by side."""
    found = {}
    for name, call in data["gathers"].items():
        stage = Stage(len(call["outputs"]))
        stages.append(stage)
        outputs = [
            placed(arguments_of(each), device)
            for each, device in zip(call["outputs"], stage.devices, strict=False)
        ]
        given = {"dim": call["dim"]} if call["dim"] else {}
        with watching(stage):
            result = submission.gather(outputs, stage.devices[call["to"]], **given)
        found |= described(f"{name}.", result, tools, stage)
        found[f"{name}.strange"] = "; ".join(sorted(stage.strange)[:3])
    return found


def arguments_of(output):
    """Return an output; a pair that says so becomes a named one."""
    if isinstance(output, dict):
        if set(output) == {"first", "second"}:
            return Both(*(arguments_of(value) for value in output.values()))
        return OrderedDict((key, arguments_of(value)) for key, value in output.items())
    if isinstance(output, (list, tuple)):
        return type(output)(map(arguments_of, output))
    return output


def placed(tree, device):
    """Move the tensors of a structure to a device."""
    if isinstance(tree, Tensor):
        return device.put(tree)
    if isinstance(tree, dict):
        return type(tree)((key, placed(value, device)) for key, value in tree.items())
    if isinstance(tree, (list, tuple)):
        items = [placed(item, device) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return tree


def beside(submission, data, tools):
    """Run given modules, and replicas of one, side by side."""
    found = {}
    for name, call in data["runs"].items():
        stage = Stage(len(call["inputs"]))
        stages.append(stage)
        modules = [make(spec) for spec in call["models"]]
        for number, module in enumerate(modules):
            for tensor in parameters_of(module):
                stage.settle(tensor, number)
        more = {"kwargs_list": call["kwargs"]} if call["kwargs"] else {}
        if call["placed"]:
            more["devices"] = list(stage.devices)
        inputs = [
            tuple(stage.devices[number].put(tensor) for tensor in each)
            for number, each in enumerate(call["inputs"])
        ]
        before = num_threads()
        with enable_grad(), watching(stage):
            if len(modules) < len(inputs):
                modules = list(submission.replicate(modules[0], list(stage.devices)))
                found[f"{name}.replicas"] = [isinstance(each, Module) for each in modules]
            stage.begin(meeting=Meeting(len(inputs)))
            results = list(submission.parallel_apply(modules, inputs, **more))
        found[f"{name}.threads left"] = threads_left(before)
        found[f"{name}.all at once"] = stage.met == [True] * len(inputs)
        found[f"{name}.strange"] = "; ".join(sorted(stage.strange)[:3])
        found[f"{name}.on"] = sorted(number for number, *_ in stage.visits)
        for number, result in enumerate(results):
            found[f"{name}.{number}"] = tools.plain(result)
        found[f"{name}.has graph"] = [needs_grad(result) for result in results]
    return found


def warm():
    """Show every operator that replicas call to a mode once, before there are threads.

    In torch 2.13 two threads that are the first to show a mode the same operator corrupt memory.
    """
    x = torch.ones(2, 2, dtype=DOUBLE)
    state = {"sizes": [2, 2, 2], "train": True, "state": {}}
    odd = {"args": [x, x, x, x[0], x[:, :1]], "kwargs": {}, "odd": True}
    words = (x[:, 0].long(), x)
    # Net, Layer and Loss call no operator that none of these calls. Of making them none is shown.
    given = {"Columns": [x], "Tied": [x], "Normed": [x], "Kept": [x], "Losses": [x]}
    given |= {"Words": words, "Plain": ["text", 2]}
    modules = [(make(state | {"kind": kind}), args, {}) for kind, args in given.items()]
    modules.append((make(state | {"kind": "Normed", "train": False}), [x], {}))
    modules.append((make(state | {"kind": "Net"}), [x], {"shift": 0.5}))
    modules.append((make(state | {"kind": "Odd"}), *arguments(odd)))
    with watching(Stage(1)), enable_grad():
        for module, args, kwargs in modules:
            module(*args, **kwargs)
        # What a program may do to shards, copies and results inside a scope.
        x = x.clone().requires_grad_().contiguous()
        parts = [*x.chunk(2), *x.split(1), *x.split([1, 1]), *x.unbind(), *x.tensor_split(2)]
        parts += [x.narrow(0, 0, 1), x[:1], x[0], x.t(), x.detach(), x.view(-1), x.reshape(4)]
        parts += [
            x.unsqueeze(0).squeeze(0),
            x.view_as(x),
            x.expand(2, 2),
            x.flatten(),
            x.select(0, 0),
        ]
        torch.cat(parts[:2]), torch.stack(parts[:2]), torch.empty_like(x), torch.zeros_like(x)
        x.new_empty(2), torch.empty(2, dtype=DOUBLE).copy_(x[0]), x + x, x * 1.0, x.sum(), x.mean()


PRISTINE = members()
warm()
OPERATIONS = {
    **{"apply": apply, "stress": stress, "fail": fail, "refuse": refuse},
    **{"shard": shard, "join": join, "beside": beside},
}
