"""Drive problem 18: blocks that report their calls, a loss and optimizers of the judge.

The oracle runs the same functions with plain training and with plain calls.
"""

import gc
import weakref

import torch
from torch import nn

# Captured here, before a submission could replace them.
Tensor = torch.Tensor
Parameter, Module = nn.Parameter, nn.Module
clone, detach, requires_grad_ = Tensor.clone, Tensor.detach, Tensor.requires_grad_
cat, stack, rand, equal = torch.cat, torch.stack, torch.rand, torch.equal
backward = torch.autograd.backward
seed_default, rng_state = torch.default_generator.manual_seed, torch.default_generator.get_state
is_grad_enabled, autocast = torch.is_grad_enabled, torch.autocast
enable_grad, no_grad = torch.enable_grad, torch.no_grad
grad_of = vars(torch._C.TensorBase)["grad"].__get__
grad_fn_of = vars(torch._C.TensorBase)["grad_fn"].__get__
needs_grad = vars(torch._C.TensorBase)["requires_grad"].__get__
dropout, linear = nn.functional.dropout, nn.functional.linear
collect = gc.collect
OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
# What stands in a trace beside the numbers of blocks.
LOSS, STEP = -1, -2


class Mark:
    """Live as long as the node of the graph that holds it."""


class Recorder:
    """Note the calls of blocks, and which nodes of graphs are alive."""

    def __init__(self):
        self.trace, self.marks, self.watched, self.living = [], [], [], 0

    def watch(self, *tensors):
        """Remember tensors inside a block; a graph that saves one of them keeps it alive."""
        self.watched += [weakref.ref(tensor) for tensor in tensors]

    def note(self, result):
        """Mark the node of a result, and count the watched tensors that are alive."""
        self.watched = [ref for ref in self.watched if ref() is not None]
        self.living = max(self.living, len(self.watched))
        node = grad_fn_of(result)
        if node is not None:
            mark = node.metadata.setdefault("mark", Mark())
            self.marks.append(weakref.ref(mark))

    def num_alive(self):
        if any(mark() is not None for mark in self.marks):
            collect()  # of cycles, which nothing else frees
        return sum(mark() is not None for mark in self.marks)


class Block(Module):
    """One block of the judge."""

    def __init__(self, number, spec, recorder):
        super().__init__()
        self.number, self.kind, self.recorder = number, spec["kind"], recorder
        self.weights = [
            Parameter(clone(item), requires_grad=not spec["frozen"]) for item in spec["tensors"]
        ]
        for position, weight in enumerate(self.weights):
            self.register_parameter(f"weight{position}", weight)

    def forward(self, x):
        # At once: a recomputation may stop inside the block when it has what it needs.
        self.recorder.trace.append(self.number)
        result = BODIES[self.kind](x, *self.weights, self.recorder.watch)
        self.recorder.note(result)
        return result


def affine(x, weight, bias, watch):
    """Use every parameter once, so that its gradient is one product."""
    return linear(x, weight, bias).tanh()


def wave(x, scale, shift, watch=lambda *tensors: None):
    """Keep five tensors for backward: x, a, b, c and d."""
    a = x * scale
    b = a.sin()
    c = b * b
    d = c.sin()
    watch(a, b, c)
    return x + d * shift


def noisy(x, weight, bias, watch):
    """Draw a mask between two layers."""
    return dropout(linear(x, weight, bias).tanh(), 0.5) * 0.75 + x


BODIES = {"affine": affine, "wave": wave, "noisy": noisy}


def run_train(train, data):
    """Train the judge's blocks, and return all that can be seen of it."""
    recorder = Recorder()
    made = [Block(number, spec, recorder) for number, spec in enumerate(data["blocks"])]
    blocks = [made[number] for number in data["order"]]
    weights = [weight for block in made for weight in block.weights]
    trained = [weight for weight in weights if weight.requires_grad]
    optimizer = OPTIMIZERS[data["optimizer"]](trained, lr=data["lr"])
    for weight in trained:
        weight.grad = torch.ones_like(weight)  # a gradient of an earlier step, to be cleared
    batches = [(clone(x), clone(y)) for x, y in data["batches"]]
    given = [clone(item) for batch in batches for item in batch]
    rows, taken = [], []

    def take():
        for position, batch in enumerate(batches):
            taken.append(position)
            yield batch

    def loss_fn(h, y):
        recorder.trace.append(LOSS)
        loss = (h - y).square().mean()
        recorder.note(loss)
        return loss

    def after_step(*_):
        recorder.trace.append(STEP)
        rows.append(cat([clone(detach(weight)).flatten() for weight in weights]))

    optimizer.register_step_post_hook(after_step)
    seed_default(data["seed"])
    found = {}
    if data["form"] == "generator":
        arguments = ((block for block in blocks), loss_fn, optimizer, take())
    else:
        arguments = (blocks, loss_fn, optimizer, batches)
    losses = train(*arguments, num_segments=data["num_segments"])
    found["generator"] = rng_state()
    found["losses"] = [float(loss) for loss in losses] if type(losses) is list else None
    kinds = {type(loss).__name__ for loss in losses} if type(losses) is list else {"no list"}
    found["types"] = sorted(kinds - {"float"})
    found["weights"] = stack(rows) if rows else torch.zeros(0)
    found["trace"] = recorder.trace
    found["alive"] = recorder.num_alive()
    found["living"] = recorder.living
    found["grad mode"] = is_grad_enabled()
    frozen = [weight for weight in weights if not weight.requires_grad]
    found["frozen"] = sum(grad_of(weight) is not None for weight in frozen)
    now = [item for batch in batches for item in batch]
    found["same inputs"] = all(equal(a, b) for a, b in zip(given, now, strict=True))
    if data["form"] == "generator":
        found["taken"] = taken
    return found


def run_measured(train, data):
    """Train large blocks for one step; the host measures the memory of the process."""
    recorder = Recorder()
    specs = [{"kind": "wave", "tensors": pair, "frozen": False} for pair in data["weights"]]
    blocks = [Block(number, spec, recorder) for number, spec in enumerate(specs)]
    weights = [weight for block in blocks for weight in block.weights]
    optimizer = OPTIMIZERS["sgd"](weights, lr=data["lr"])
    sizes = set()

    def loss_fn(h, y):
        sizes.add(h.numel())
        recorder.trace.append(LOSS)
        loss = (h - y).square().mean()
        recorder.note(loss)
        return loss

    x = data["tile"].repeat(data["repeats"])
    losses = train(blocks, loss_fn, optimizer, [(x, data["target"])], num_segments=data["segments"])
    return {
        "losses": torch.tensor([float(loss) for loss in losses], dtype=torch.float64),
        "weights": stack([detach(weight) for weight in weights]).reshape(-1, 2),
        "trace": [number for number in recorder.trace if number >= 0],
        "sizes": sorted(sizes),
    }


def run_refused(train, data):
    """Ask for numbers of segments that are refused; nothing may have happened by then."""
    recorder = Recorder()
    block = Block(0, data["block"], recorder)
    weights = list(block.weights)
    before = [clone(detach(weight)) for weight in weights]
    optimizer = OPTIMIZERS["sgd"](weights, lr=0.1)
    taken = []

    def take():
        taken.append(0)
        yield clone(data["x"]), clone(data["x"])

    def loss_fn(h, y):
        return (h - y).square().mean()

    found = attempted(
        lambda: train([block], loss_fn, optimizer, take(), num_segments=data["num_segments"])
    )
    same = all(equal(a, b) for a, b in zip(before, weights, strict=True))
    return found | {"untouched": same and not taken and not recorder.trace}


def attempted(act):
    """Return the names of the exception that was raised, from the type to the base."""
    try:
        act()
    except Exception as error:  # noqa: BLE001
        return {"error": [kind.__name__ for kind in type(error).__mro__], "words": str(error)}
    return {"error": [], "words": ""}


class Broken(Exception):
    """What no library raises."""


ERRORS = {
    kind.__name__: kind
    for kind in (LookupError, RuntimeError, ValueError, TypeError, OSError, Broken)
}


class Scene:
    """One call of ``checkpoint``: its tensors, and what came of it."""

    def __init__(self, checkpoint, data):
        self.checkpoint, self.data = checkpoint, data
        self.x, self.z = (requires_grad_(clone(data[name])) for name in ("x", "z"))
        self.weight = Parameter(clone(data["weight"]))
        self.calls = 0
        self.found = {}

    def counted(self, body):
        """Return the function with a count of its calls."""

        def fn(*args):
            self.calls += 1
            return body(*args)

        return fn

    def call(self, body, *args, **options):
        """Call ``checkpoint``; note the result, what needs a gradient, and the calls so far."""
        result = self.checkpoint(self.counted(body), *args, **options)
        parts = result if type(result) is tuple else (result,)
        self.found["kind"] = "tuple" if type(result) is tuple else "one"
        for position, part in enumerate(parts):
            is_tensor = isinstance(part, Tensor)
            self.found[f"out.{position}"] = clone(detach(part)) if is_tensor else part
            if is_tensor:
                self.found[f"needs.{position}"] = needs_grad(part)
        self.found["calls.forward"] = self.calls
        return result

    def differentiate(self, *results, **options):
        """Run backward with the drawn cotangent, and note the gradients."""
        results = [item for item in results if isinstance(item, Tensor) and needs_grad(item)]
        cotangents = [self.data["cotangent"].to(item.dtype) for item in results]
        backward(results, cotangents, **options)
        self.note_gradients()

    def note_gradients(self):
        for name in ("x", "z", "weight"):
            gradient = grad_of(getattr(self, name))
            self.found[f"grad.{name}"] = None if gradient is None else clone(gradient)
        self.found["calls"] = self.calls
        self.found["grad mode"] = is_grad_enabled()


def smooth(scene):
    y = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    scene.differentiate(y)


def closed_over(scene):
    y = scene.call(lambda x: (x @ scene.weight).sin(), clone(scene.data["x"]))
    scene.differentiate(y)


def mixed_arguments(scene):
    def body(x, nothing, number, word, z):
        assert nothing is None
        assert word == "scaled"
        return x @ scene.weight * number + z.exp()

    scene.differentiate(scene.call(body, scene.x, None, 2.5, "scaled", scene.z))


def tuple_result(scene):
    def body(x, z):
        h = (x @ scene.weight).tanh()
        return h, h.argmax(1), "word", None, h * z

    result = scene.call(body, scene.x, scene.z)
    scene.differentiate(result[0], result[4])


def half_used(scene):
    result = scene.call(lambda x, z: ((x @ scene.weight).tanh(), x * z), scene.x, scene.z)
    scene.differentiate(result[1])


def module(scene):
    layer = nn.Linear(*reversed(scene.weight.shape), bias=False, dtype=scene.weight.dtype)
    layer.weight = scene.weight
    scene.differentiate(scene.call(layer, scene.x @ scene.weight))


def random_masks(scene):
    def body(x):
        return dropout(dropout(x, 0.5) @ scene.weight, 0.25)

    seed_default(scene.data["seed"])
    y = scene.call(body, scene.x)
    scene.found["generator.forward"] = rng_state()
    rand(7)  # The stream moves on between forward and backward.
    scene.differentiate(y)
    scene.found["generator.backward"] = rng_state()
    scene.found["next"] = rand(3)


def loose_masks(scene):
    y = scene.call(lambda x: dropout(x @ scene.weight, 0.5), scene.x, preserve_rng_state=False)
    scene.differentiate(y)
    scene.found = {name: scene.found[name] for name in ("needs.0", "calls.forward", "calls")}


def non_leaf(scene):
    y = scene.call(lambda h, z: h @ scene.weight * z, scene.x.cos(), scene.z * 3)
    scene.differentiate(y.sin())


def two_in_a_row(scene):
    h = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    y = scene.checkpoint(scene.counted(lambda h: (h @ scene.weight.T).sin()), h)
    scene.differentiate(scene.checkpoint(scene.counted(lambda h: h @ scene.weight), y))


def detached_inside(scene):
    y = scene.call(lambda x, z: x.detach() @ scene.weight + z, scene.x, scene.z)
    scene.differentiate(y)


def unused(scene):
    y = scene.call(lambda x, z: (x @ scene.weight).tanh(), scene.x, scene.z)
    scene.differentiate(y)


def in_place(scene):
    def body(x):
        h = x @ scene.weight
        h.mul_(1.5).add_(x)
        h[0] = 2.0
        return h.tanh().mul(2.0).neg_()

    scene.differentiate(scene.call(body, scene.x))


def twice(scene):
    y = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    scene.differentiate(y, retain_graph=True)
    scene.found["calls.first"] = scene.calls
    scene.differentiate(y)


def under_no_grad(scene):
    with no_grad():
        scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    scene.note_gradients()


def tuple_under_no_grad(scene):
    with no_grad():
        scene.call(lambda x, z: ((x @ scene.weight).tanh(), z + 1), scene.x, scene.z)
    scene.note_gradients()


def nested(scene):
    def inner(h):
        return (h @ scene.weight.T).tanh()

    def body(x):
        h = (x @ scene.weight).sin()
        return scene.checkpoint(inner, h) @ scene.weight

    scene.differentiate(scene.call(body, scene.x))


def autocast_forward(scene):
    with autocast("cpu", torch.bfloat16):
        y = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    scene.differentiate(y)


def autocast_float16(scene):
    with autocast("cpu", torch.float16):
        y = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    scene.differentiate(y)


def autocast_tuple(scene):
    with autocast("cpu", torch.bfloat16):
        result = scene.call(lambda x: (x @ scene.weight, (x * x) @ scene.weight), scene.x)
    scene.differentiate(*result)


def autocast_backward(scene):
    y = scene.call(lambda x: (x @ scene.weight).tanh(), scene.x)
    with autocast("cpu", torch.bfloat16):
        scene.differentiate(y)


def raises_at_once(scene):
    def body(x):
        raise ERRORS[scene.data["error"]]("no such row")

    scene.found = attempted(lambda: scene.call(body, scene.x))
    scene.found["grad mode"] = is_grad_enabled()
    with no_grad():
        scene.found["again"] = attempted(lambda: scene.call(body, scene.x))["error"][:1]
        scene.found["no grad mode"] = is_grad_enabled()


def raises_later(scene):
    def body(x):
        if scene.calls == 2:
            raise ERRORS[scene.data["error"]]("no such row")
        return (x @ scene.weight).tanh()

    y = scene.call(body, scene.x)
    scene.found = attempted(lambda: scene.differentiate(y))
    scene.found["grad mode"] = is_grad_enabled()


KINDS = {
    make.__name__: make
    for make in (
        *(smooth, closed_over, mixed_arguments, tuple_result, half_used, module, random_masks),
        *(loose_masks, non_leaf, two_in_a_row, detached_inside, unused, in_place, twice),
        *(under_no_grad, tuple_under_no_grad, nested, autocast_forward, autocast_tuple),
        *(autocast_float16,),
        *(autocast_backward, raises_at_once, raises_later),
    )
}


def run_checkpoint(checkpoint, data):
    """Act out one kind of call."""
    scene = Scene(checkpoint, data)
    KINDS[data["kind"]](scene)
    return scene.found


RUNS = {
    "train": ("train", run_train),
    "measure": ("train", run_measured),
    "refuse": ("train", run_refused),
    "checkpoint": ("checkpoint", run_checkpoint),
}


def probe(submission, op, data, tools):
    """Answer one request."""
    name, run = RUNS[op]
    with enable_grad():  # whatever a program left behind that ran in this process before
        found = run(getattr(submission, name), data)
    return {
        key: tools.sendable(item) if isinstance(item, Tensor) else item
        for key, item in found.items()
    }
