"""Act out a script with a logger: a fake clock, a stream with a buffer, a fake GPU."""

import builtins
import gc
import io
import sys
import threading
import time
import weakref

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

ASKED = torch.ops.aten._local_scalar_dense.default
# These read the memory of a CPU tensor directly; on a GPU they wait as well.
READS = (torch.Tensor.tolist, torch.Tensor.numpy, torch.Tensor.__array__)
make, fill, no_grad = torch.tensor, torch.Tensor.fill_, torch.no_grad
saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks
Raw, Buffered, Text = io.RawIOBase, io.BufferedWriter, io.TextIOWrapper
this_thread, thread_time = threading.get_ident, time.thread_time
reference, collect = weakref.ref, gc.collect
BUFFER_BYTES = 1 << 16


class Asked(TorchDispatchMode):
    """Count how often a number of a tensor is asked for."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func is ASKED
        return func(*args, **(kwargs or {}))


class Read(TorchFunctionMode):
    """Count the reads that no operator shows."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.count += any(func is each for each in READS)
        return func(*args, **(kwargs or {}))


class Pipe(Raw):
    """The other end of a stream: what arrives here survives a kill of the process."""

    def __init__(self):
        super().__init__()
        self.arrived, self.threads = [], set()

    def writable(self):
        return True

    def write(self, data):
        self.threads.add(this_thread())
        self.arrived.append(bytes(data))
        return len(data)

    def take(self):
        """Return what has arrived since the last look."""
        taken = b"".join(self.arrived).decode("utf-8", "replace")
        self.arrived.clear()
        return taken


class Kept:
    """Stand for a tensor that a graph has saved, and so for the graph."""

    def __init__(self, tensor):
        self.tensor = tensor


def make_stream():
    pipe = Pipe()
    return pipe, Text(Buffered(pipe, BUFFER_BYTES), encoding="utf-8", newline="\n")


def probe(submission, op, data, tools):
    """Answer one operation of this problem."""
    return OPERATIONS[op](submission, data, tools)


class Scene:
    """One logger with its stream, its clock and its tensors."""

    def __init__(self, submission, data, clock):
        self.clock, self.data = clock, data
        self.pipe, self.stream = make_stream()
        self.text, self.returned, self.facts = [], [], {}
        self.asked = 0
        self.kept, self.buffers = [], {}
        options = dict(data["options"])
        if "gpu" in data:
            answers = iter(data["gpu"])
            options["gpu"] = lambda: self.gpu(next(answers))
        if not data.get("own clock"):
            options["clock"] = lambda: self.clock[0]
        given = () if data.get("stdout") else (self.stream,)
        self.logger = submission.MiniLogger(*given, **options)

    def gpu(self, answer):
        if type(answer) is str:
            raise ERRORS[answer.removeprefix("raise ")]("the driver went away")
        return answer

    def act(self, name, *arguments):
        getattr(self, f"do_{name}")(*arguments)

    def do_tick(self, seconds):
        self.clock[0] += seconds

    def do_log(self, step, n, metrics):
        given = {name: self.value(name, value) for name, value in metrics.items()}
        more = {} if n is None else {"n": n}
        if self.data.get("counts"):
            with Read() as read, Asked() as asked:
                record = self.logger.log(step, **more, **given)
            self.asked += read.count + asked.count if record is None else 0
        else:
            record = self.logger.log(step, **more, **given)
        del given
        self.saw(record)

    def do_refill(self, value):
        """Reuse the buffers that were logged."""
        with no_grad():
            for buffer in self.buffers.values():
                fill(buffer, value)

    def do_timer(self, name, inner, raises):
        try:
            with self.logger.timer(name):
                for action in inner:
                    self.act(*action)
                if raises:
                    raise KeyError(name)
        except KeyError as error:
            came = error.args == (name,) and raises
        else:
            came = not raises
        self.facts["exceptions go on"] = self.facts.get("exceptions go on", True) and came

    def do_close(self):
        self.saw(self.logger.close())

    def do_within(self, inner, raises):
        """Log inside a with-statement, whose end closes."""
        came = False
        try:
            with self.logger as entered:
                self.facts["enter returns the logger"] = entered is self.logger
                for action in inner:
                    self.act(*action)
                if raises:
                    raise KeyError("body")
        except KeyError as error:
            came = error.args == ("body",)
        self.facts["exceptions go on"] = came == raises
        self.text.append(self.pipe.take())
        self.returned.append("unseen")

    def do_stdout(self):
        """Put another stream behind sys.stdout."""
        self.pipe, self.stream = make_stream()
        sys.stdout = self.stream

    def do_graphs(self):
        collect()
        self.facts["graphs"] = sum(each() is not None for each in self.kept)

    def saw(self, record):
        self.text.append(self.pipe.take())
        self.returned.append(told(record))

    def value(self, name, value):
        """Make a metric: a number stays one, a dict describes a tensor."""
        if type(value) is not dict:
            return value
        dtype = getattr(torch, value["dtype"])
        if value["as"] == "graph":
            leaf = make(value["value"], dtype=dtype, requires_grad=True)
            with saved_tensors_hooks(self.keep, lambda kept: kept.tensor):
                return leaf * leaf
        if value["as"] == "buffer":
            if name not in self.buffers:
                self.buffers[name] = make([0, 0, 0], dtype=dtype)
            buffer = self.buffers[name][1:2]
            with no_grad():
                fill(buffer, value["value"])
            return buffer
        made = make(value["value"], dtype=dtype).reshape(value["shape"])
        return made.requires_grad_() if value["as"] == "parameter" else made

    def keep(self, tensor):
        kept = Kept(tensor)
        self.kept.append(reference(kept))
        return kept

    def answer(self):
        found = {"text": self.text, "returned": self.returned}
        found["own thread"] = self.pipe.threads <= {this_thread()}
        found["stream open"] = not self.stream.closed
        if self.data.get("counts"):
            found["asked"] = self.asked
        # The oracle reads these out of the text.
        read = ("strict", "times", "metrics", "nonfinite", "timers", "gpu")
        return found | self.facts | dict.fromkeys(read, True)


def told(value):
    """Return a record as it may travel; an integer that is too long for numbers, as text."""
    if type(value) is dict:
        return {key if type(key) is str else f"a {type(key)}": told(v) for key, v in value.items()}
    if type(value) is int and value.bit_length() > 62:
        return f"int {value:x}"
    if value is None or type(value) in (bool, int, float, str):
        return value
    return f"a {type(value).__name__}"


def play(submission, data, tools):
    """Act out one script, or several with loggers side by side."""
    clock = [data["clock"]]
    before = sys.stdout
    try:
        scenes = [Scene(submission, each, clock) for each in data["scenes"]]
        for number, *action in data["script"]:
            scenes[number].act(*action)
        for scene in scenes:
            scene.facts["stdout kept"] = sys.stdout in (before, scene.stream)
    finally:
        sys.stdout = before
    if len(scenes) == 1:
        return scenes[0].answer()
    parts = enumerate(scenes)
    return {f"{number}.{key}": v for number, each in parts for key, v in each.answer().items()}


def bulk(submission, data, tools):
    """Log many values; return few of the lines, and how the cost of a call grew."""
    clock = [data["clock"]]
    pipe, stream = make_stream()
    logger = submission.MiniLogger(
        stream, clock=lambda: clock[0], gpu=lambda: None, **data["options"]
    )
    values, weights, wanted = data["values"].tolist(), data["weights"].tolist(), set(data["shown"])
    pairs = list(zip(values, weights, strict=True))
    text, returned, lines, costs = [], [], 0, []
    for first in range(0, len(pairs), data["chunk"]):
        began = thread_time()
        for index, (value, n) in enumerate(pairs[first : first + data["chunk"]], first):
            if index in wanted:
                lines += pipe.take().count("\n")
            clock[0] += data["tick"]
            record = logger.log(index, n, loss=value)
            if index in wanted:
                text.append(pipe.take())
                returned.append(told(record))
                lines += text[-1].count("\n")
        costs.append(thread_time() - began)
    lines += pipe.take().count("\n")
    returned.append(told(logger.close()))
    text.append(pipe.take())
    found = {"text": text, "returned": returned, "lines": lines}
    # The shortest of several chunks: a pause of the machine lengthens some of them.
    several = len(costs) // 10
    found["growth"] = min(costs[-several:]) / max(min(costs[1 : 1 + several]), 1e-9)
    read = ("strict", "times", "metrics", "nonfinite", "timers", "gpu")
    return found | dict.fromkeys(read, True)


class Broken(Exception):
    """What no library raises."""


ERRORS = {kind.__name__: kind for kind in (KeyError, OSError, RuntimeError, ValueError, Broken)}
ERRORS |= {"StopIteration": StopIteration, "AttributeError": AttributeError}
ERRORS |= {"KeyboardInterrupt": KeyboardInterrupt}


def raise_inside(submission, data, tools):
    """Return which exceptions did not leave a timer or a with-statement as they are."""
    changed = []
    for name, kind in ERRORS.items():
        for place in ("timer", "logger"):
            logger = submission.MiniLogger(make_stream()[1], clock=lambda: 0.0, gpu=lambda: None)
            error, came = kind("inside"), None
            try:
                with logger.timer("block") if place == "timer" else logger:
                    raise error
            except BaseException as caught:  # noqa: BLE001
                came = caught
            if came is not error:
                changed.append(f"{name} in a {place}")
    return {"changed": changed}


def refuse(submission, data, tools):
    """Make loggers and calls that must be refused."""
    found = {}
    pipe, stream = make_stream()
    for name, each in data["calls"].items():
        logger = None
        if "init" not in each:
            logger = submission.MiniLogger(stream, every=50, clock=lambda: 0.0, gpu=lambda: None)
        if each.get("closed"):
            logger.close()

        def call(each=each, logger=logger):
            if logger is None:
                submission.MiniLogger(stream, **each["init"])
            else:
                logger.log(1, **each["log"])

        attempted = tools.attempt(call)
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found | {"nothing written": not pipe.take()}


# What stands for a GPU. The functions are replaced before the submission can take them by name.
ASKING = ("is_available", "device_count", "is_initialized")


class Situation:
    """A machine without a GPU, with a broken one, or with one that works."""

    def __init__(self, kind, sizes):
        self.kind, self.sizes, self.touched = kind, sizes, []

    def __call__(self, name):
        if name in ASKING:
            return {"device_count": int}.get(name, bool)(self.kind != "absent")
        self.touched.append(name)
        if name.startswith("memory_stats") and self.kind != "broken":
            # Without a GPU torch knows no numbers, and does not complain.
            return self.sizes if self.kind == "present" else {}
        if self.kind == "absent":
            raise AssertionError("Torch not compiled with CUDA enabled")
        if self.kind == "broken":
            raise RuntimeError("CUDA error: device-side assert triggered")
        return 0


machine = []


def stand_in(name, original):
    """Return a function that answers for the machine of a case, if there is one."""

    def function(*args, **kwargs):
        return machine[0](name) if machine else original(*args, **kwargs)

    return function


def replace_functions():
    for name in (
        *("is_available", "device_count", "is_initialized", "init", "_lazy_init"),
        *("current_device", "synchronize", "memory_stats", "memory_stats_as_nested_dict"),
        *("mem_get_info", "get_device_properties", "reset_peak_memory_stats"),
    ):
        function = stand_in(name, getattr(torch.cuda, name))
        # memory_allocated and its like look these up in the module that they are in.
        for module in (torch.cuda, torch.cuda.memory):
            if hasattr(module, name):
                setattr(module, name, function)


def gpu(submission, data, tools):
    """Ask for the memory of a GPU that is absent, broken or present, alone and in a record."""
    situation = Situation(data["situation"], data["sizes"])
    machine.append(situation)
    try:
        found = {"usage": told(submission.gpu_usage())}
        logger = submission.MiniLogger(make_stream()[1], clock=lambda: 0.0)
        record = told(logger.log(0))
        found["in a record"] = record.get("gpu", "-") if type(record) is dict else "-"
    finally:
        machine.clear()
    return found | {"touched": sorted(set(situation.touched))}


replace_functions()
OPERATIONS = {"play": play, "bulk": bulk, "refuse": refuse, "raise": raise_inside, "gpu": gpu}
