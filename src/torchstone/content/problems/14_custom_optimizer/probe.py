"""Own the trajectory of problem 14: set the gradients of every step, report what each step did.

A case is one script. All of it arrives in one message, and all steps go back in one answer.
"""

import io
from contextlib import nullcontext

import torch

Tensor = torch.Tensor
backward = torch.autograd.backward
clone, copy_, detach = Tensor.clone, Tensor.copy_, Tensor.detach
empty, zeros_like, stack = torch.empty, torch.zeros_like, torch.stack
set_, untyped_storage = Tensor.set_, Tensor.untyped_storage
is_grad_enabled = torch.is_grad_enabled
save, load = torch.save, torch.load
version = vars(torch._C.TensorBase)["_version"].__get__
grad_fn = vars(torch._C.TensorBase)["grad_fn"].__get__
needs_grad = vars(torch._C.TensorBase)["requires_grad"].__get__
no_grad = torch.no_grad
# Facts of which a case lists where they do not hold.
FACTS = ("version", "idle", "gradient", "mode", "closure", "returned", "zero", "place")


class Actor:
    """One optimizer, and which tensors of the scene each of its groups holds."""

    def __init__(self, optimizer, kind, options, layout):
        self.optimizer, self.kind, self.layout = optimizer, kind, layout
        self.options = options if len(layout) == 1 else {}

    @property
    def indices(self):
        return [index for group in self.layout for index in group]


class Scene:
    """Act out the script of one case; every action is a method."""

    def __init__(self, submission, data, tools):
        self.submission, self.data, self.tools = submission, data, tools
        self.actors = {}
        self.tensors = {}  # the leaves, by index
        self.before = {}  # what each of them was: its values and its storage
        self.buffers = {}  # gradients that are filled again and again
        self.rows = {}  # the values after every step
        self.wrong = {fact: [] for fact in FACTS}
        self.answer = {}
        for index, tensor in enumerate(data["tensors"]):
            if tensor is not None:
                self.add_tensor(index, tensor)

    def add_tensor(self, index, tensor):
        # Every other leaf is a Parameter, as in a module.
        leaf = torch.nn.Parameter(tensor) if index % 2 else tensor.requires_grad_()
        self.tensors[index] = leaf
        self.before[index] = clone(detach(leaf)), self.tools.storage_snapshot(leaf)
        self.rows[index] = []

    def group(self, spec):
        return spec | {"params": [self.tensors[index] for index in spec["params"]]}

    def make(self, name, kind, form, groups, options):
        """Construct an optimizer; the form is how its parameters are handed over."""
        made = [self.group(spec) for spec in groups]
        if form == "list":
            params = made[0]["params"]
        elif form == "generator":
            params = (tensor for tensor in made[0]["params"])
        elif form == "generators":
            params = (group | {"params": iter(group["params"])} for group in made)
        elif form == "single":
            params = [group | {"params": group["params"][0]} for group in made]
        else:
            params = made
        optimizer = getattr(self.submission, kind)(params, **options)
        self.actors[name] = Actor(optimizer, kind, options, [list(g["params"]) for g in groups])

    def write(self, name, group, key, value):
        self.actors[name].optimizer.param_groups[group][key] = value

    def add(self, name, spec):
        actor = self.actors[name]
        actor.optimizer.add_param_group(self.group(spec))
        actor.layout.append(list(spec["params"]))

    def zero(self, name, set_to_none):
        """Call zero_grad and look at every gradient afterwards."""
        actor = self.actors[name]
        held = {index: self.tensors[index].grad for index in actor.indices}
        values = {index: clone(held[index]) for index in held if held[index] is not None}
        if set_to_none is None:
            actor.optimizer.zero_grad()
        else:
            actor.optimizer.zero_grad(set_to_none=set_to_none)
        for index, gradient in held.items():
            now = self.tensors[index].grad
            if gradient is None or set_to_none is not False:
                is_right = now is None
            else:
                zeros = zeros_like(values[index])
                is_right = now is gradient and self.tools.torch_equal(now, zeros)
            if not is_right:
                self.note("zero", name, index)

    def steps(self, name, count, how="assign"):
        """Take steps: with gradients that are assigned or refilled, or that a closure computes."""
        for turn in range(count):
            self.one_step(self.actors[name], name, how, turn)

    def one_step(self, actor, name, how, turn):
        given = self.gradients(actor, reuse=how.startswith("reuse"))
        before = {index: version(self.tensors[index]) for index in actor.indices}
        outer = no_grad() if how.endswith("no_grad") else nullcontext()
        with outer:
            mode = is_grad_enabled()
            if how.startswith("closure"):
                self.with_closure(actor, name, given, turn)
            else:
                for index in actor.indices:
                    self.tensors[index].grad = given[index]
                copies = {i: clone(g) for i, g in given.items() if g is not None}
                if actor.optimizer.step() is not None:
                    self.note("returned", name, turn)
                self.compare(name, given, copies)
            if is_grad_enabled() != mode:
                self.note("mode", name, turn)
        for index, old in before.items():
            tensor = self.tensors[index]
            if given[index] is None and version(tensor) != old:
                self.note("idle", name, index)
            elif given[index] is not None and tensor.numel() and version(tensor) == old:
                self.note("version", name, index)
            self.rows[index].append(clone(detach(tensor)))

    def gradients(self, actor, *, reuse):
        """Return the gradient of every tensor for its next step; None where it has none."""
        given = {}
        for index in actor.indices:
            turn = len(self.rows[index])
            present = self.data["present"][index]
            if present is not None and not present[turn]:
                given[index] = None
                continue
            given[index] = no_view(self.data["gradients"][index][turn])
            if reuse:
                buffer = self.buffers.setdefault(index, clone(given[index]))
                given[index] = copy_(buffer, given[index])
        return given

    def with_closure(self, actor, name, given, turn):
        """Give stale gradients; only the closure computes those that count."""
        modes, losses = [], []
        for index in actor.indices:
            self.tensors[index].grad = zeros_like(self.tensors[index]) + 7

        def closure():
            modes.append(is_grad_enabled())
            actor.optimizer.zero_grad()
            parts = [self.tensors[i] * g for i, g in given.items() if g is not None]
            losses.append(sum(part.sum() for part in parts))
            backward(losses[-1])
            return losses[-1]

        step = actor.optimizer.step
        result = step(closure) if turn % 2 else step(closure=closure)
        if modes != [True]:
            self.note("closure", name, turn)
        if not losses or result is not losses[-1]:
            self.note("returned", name, turn)
        self.compare(name, None, given)

    def compare(self, name, given, copies):
        """Note the gradients that a step changed or replaced."""
        for index in self.actors[name].indices:
            now, copy = self.tensors[index].grad, copies.get(index)
            if given is not None and now is not given[index]:
                self.note("gradient", name, index)
            elif (now is None) != (copy is None):
                self.note("gradient", name, index)
            elif now is not None and not self.tools.torch_equal(now, copy):
                self.note("gradient", name, index)

    def resume(self, source, name, via, indices):
        """Load a state into a new optimizer, over copies of the tensors or over the same ones."""
        old = self.actors[source]
        layout, position = [], 0
        for group in old.layout:
            layout.append(indices[position : position + len(group)])
            position += len(group)
        for index, origin in zip(indices, old.indices, strict=True):
            if index not in self.tensors:
                self.add_tensor(index, clone(detach(self.tensors[origin])))
        specs = [{"params": each} for each in layout]
        # Another rate, which the loaded one replaces.
        options = {} if via == "same" else {"lr": 123.0}
        self.make(name, old.kind, "dicts", specs, old.options | options)
        state = old.optimizer.state_dict()
        if via == "saved":
            file = io.BytesIO()
            save(state, file)
            file.seek(0)
            state = load(file, weights_only=True)
        self.actors[name].optimizer.load_state_dict(state)

    def state(self, name, names):
        """Report the state as data: entries, indices of parameters, hyper-parameters."""
        actor = self.actors[name]
        state = actor.optimizer.state_dict()
        is_dict = isinstance(state, dict) and {"state", "param_groups"} <= state.keys()
        self.answer[f"{name}.form"] = is_dict
        if not is_dict:
            return
        sizes = {number: self.tensors[i].numel() for number, i in enumerate(actor.indices)}
        # Whether a parameter without elements has been updated is a matter of taste.
        kept = {key: item for key, item in state["state"].items() if sizes.get(key) != 0}
        whole = all(type(key) is int for key in kept)
        self.answer[f"{name}.keys"] = sorted(kept) if whole else "keys that are no int"
        for key, entry in kept.items() if whole else ():
            self.answer[f"{name}.{key}.names"] = sorted(map(str, entry))
            for label, value in entry.items():
                self.answer[f"{name}.{key}.{label}"] = self.value(label, value)
        self.answer[f"{name}.indices"] = [plain_ints(group) for group in state["param_groups"]]
        self.answer[f"{name}.hyper"] = hyper(state["param_groups"], names)

    def value(self, label, value):
        if label == "step":
            is_number = type(value) in (int, float) or (
                isinstance(value, Tensor) and not value.dim()
            )
            return float(value) if is_number else f"a {type(value).__name__}"
        is_float = isinstance(value, Tensor) and value.is_floating_point()
        return self.tools.sendable(detach(value).double()) if is_float else type(value).__name__

    def groups(self, name, names):
        """Report which tensors the groups hold, by identity, and with which hyper-parameters."""
        numbers = {id(tensor): index for index, tensor in self.tensors.items()}
        groups = self.actors[name].optimizer.param_groups
        held = [[numbers.get(id(each), -1) for each in group["params"]] for group in groups]
        self.answer |= {f"{name}.held": held, f"{name}.live": hyper(groups, names)}

    def note(self, fact, *where):
        if len(self.wrong[fact]) < 9:
            self.wrong[fact].append(":".join(map(str, where)))

    def end(self):
        """Put the values back, and see whether only they had changed."""
        for index, rows in self.rows.items():
            if rows:
                self.answer[f"value.{index}"] = self.tools.sendable(stack(rows))
            tensor, (values, snapshot) = self.tensors[index], self.before[index]
            self.tools.refill(tensor, values)
            changed = self.tools.storage_changed(tensor, snapshot)
            if changed or grad_fn(tensor) is not None or not needs_grad(tensor):
                self.note("place", index)
        return self.answer | {f"fact.{fact}": where for fact, where in self.wrong.items()}


def no_view(tensor):
    """Return a tensor over the same elements that is no view: autograd makes gradients like it."""
    place = tensor.storage_offset(), tensor.shape, tensor.stride()
    return set_(empty(0, dtype=tensor.dtype), untyped_storage(tensor), *place)


def number(value):
    if type(value) in (tuple, list):
        return [number(item) for item in value]
    return float(value) if type(value) in (int, float, bool) else f"a {type(value).__name__}"


def hyper(groups, names):
    return [[number(group.get(key)) for key in names] for group in groups]


def plain_ints(group):
    params = list(group["params"])
    return params if all(type(item) is int for item in params) else "no indices"


def act(scene):
    """Act out a script."""
    for action, *arguments in scene.data["script"]:
        getattr(scene, action)(*arguments)
    return scene.end()


def refuse(submission, data, tools):
    """Try what must raise; the keys of the answer name what did."""
    kind = getattr(submission, data["kind"])
    found = {}
    for name, tried in REFUSALS.items():
        if name in data["wanted"]:
            attempted = tools.attempt(lambda tried=tried: tried(kind))
            found |= {f"{name}.raised": attempted["raised"]} if "raised" in attempted else {}
    for name, options in data["options"].items():
        attempted = tools.attempt(lambda options=options: kind([leaf()], **options))
        found |= {f"{name}.raised": attempted["raised"]} if "raised" in attempted else {}
    return found


def leaf(*shape):
    return torch.ones(shape or (2,)).requires_grad_()


def made(kind, *shapes):
    """Make an optimizer with a group for every argument; that many tensors in each."""
    return kind([{"params": [leaf() for _ in range(size)]} for size in shapes])


def twice(kind):
    tensor = leaf()
    kind([tensor, leaf(), tensor])


def twice_in_generator(kind):
    tensor = leaf()
    kind(tensor for _ in range(2))


def across_groups(kind):
    tensor = leaf()
    kind([{"params": [tensor]}, {"params": [leaf(), tensor]}])


def later_group(kind):
    tensor = leaf()
    kind([tensor]).add_param_group({"params": [tensor]})


def twice_later(kind):
    tensor = leaf()
    kind([leaf()]).add_param_group({"params": [tensor, tensor]})


def later_number(kind):
    kind([leaf()]).add_param_group({"params": [0.5]})


def sparse(kind):
    tensor = leaf(3, 2)
    tensor.grad = torch.ones(3, 2).to_sparse()
    kind([tensor]).step()


REFUSALS = {
    "nothing": lambda kind: kind([]),
    "an empty generator": lambda kind: kind(tensor for tensor in ()),
    "a number": lambda kind: kind([leaf(), 0.5]),
    "a number in a group": lambda kind: kind([{"params": [None]}]),
    "twice": twice,
    "twice in a generator": twice_in_generator,
    "across groups": across_groups,
    "in a later group": later_group,
    "twice in a later group": twice_later,
    "a number in a later group": later_number,
    "fewer groups": lambda kind: made(kind, 1, 1).load_state_dict(made(kind, 2).state_dict()),
    "more groups": lambda kind: made(kind, 2).load_state_dict(made(kind, 1, 1).state_dict()),
    "smaller groups": lambda kind: made(kind, 2, 1).load_state_dict(made(kind, 1, 2).state_dict()),
    "larger groups": lambda kind: made(kind, 1).load_state_dict(made(kind, 2).state_dict()),
    "a sparse gradient": sparse,
}


def probe(submission, op, data, tools):
    """Answer one request."""
    if op == "refuse":
        return refuse(submission, data, tools)
    assert op == "trajectory", f"unknown operation {op!r}"
    return act(Scene(submission, data, tools))
