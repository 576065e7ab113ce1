"""Build a model, let the monitor watch it, report what can be read and what was left behind.

The oracle runs this file with a monitor of its own and compares the readings.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from operator import is_
from typing import Any

import torch
from torch import Tensor, nn

# Captured here, before a submission could replace them.
run_backward = torch.autograd.backward
autograd_grad = torch.autograd.grad
# torch.manual_seed looks for devices and walks the stack, which takes longer than a pass here.
manual_seed = torch.default_generator.manual_seed
get_rng_state = torch.get_rng_state
is_grad_enabled = torch.is_grad_enabled
untyped_storage = torch.Tensor.untyped_storage
weak_storage = torch.UntypedStorage._weak_ref
is_expired = torch.UntypedStorage._expired
free_weak_storage = torch.UntypedStorage._free_weak_ref
MACHINERY = nn.modules.module
GLOBAL_HOOKS = [name for name in vars(MACHINERY) if name.startswith("_global_")]
# What leaves a block by an exception, apart from the one that ends a pass.
LEAVING = (RuntimeError, ValueError, KeyError, OSError, StopIteration, KeyboardInterrupt)


def linear(in_features: int, out_features: int) -> nn.Linear:
    """Make a Linear whose parameters are not drawn: the case fills them."""
    layer = nn.Linear.__new__(nn.Linear)
    nn.Module.__init__(layer)
    layer.in_features, layer.out_features = in_features, out_features
    layer.weight = nn.Parameter(torch.empty(out_features, in_features))
    layer.bias = nn.Parameter(torch.empty(out_features))
    return layer


class Branch(nn.Module):
    """The trunk's output feeds two consumers."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.trunk = linear(width, hidden)
        self.squash = nn.Tanh()
        self.left = linear(hidden, width)
        self.right = nn.Sequential(linear(hidden, width), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        h = self.squash(self.trunk(x))
        return self.left(h) + 2 * self.right(h)


class Residual(nn.Module):
    """A block that owns a parameter and has children: not a layer."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Sequential(linear(width, hidden), nn.GELU(), linear(hidden, width))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scale * self.inner(self.norm(x))


class Gained(nn.Linear):
    """A subclass of Linear with one more parameter: a layer."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(width, hidden)
        self.gain = nn.Parameter(torch.ones(hidden))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * self.gain


class Shared(nn.Module):
    """One layer under two names, called twice; ``gain`` decides which call sees more gradient."""

    def __init__(self, width: int, gain: float) -> None:
        super().__init__()
        self.first = linear(width, width)
        self.middle = nn.Tanh()
        self.again = self.first
        self.gain = gain

    def forward(self, x: Tensor) -> Tensor:
        return self.again(self.middle(self.first(x)) * self.gain)


class Partial(nn.Module):
    """Layers no gradient reaches: never called, frozen, under no_grad, output unused."""

    def __init__(self, width: int, pick: int) -> None:
        super().__init__()
        self.never = linear(width, width)
        self.used = linear(width, width)
        self.frozen = linear(width, width).requires_grad_(False)
        self.silent = linear(width, width)
        self.dangling = linear(width, width)
        self.branches = nn.ModuleList([linear(width, width), nn.Tanh()])
        self.pick = pick

    def forward(self, x: Tensor) -> Tensor:
        h = self.used(x) + self.frozen(x)
        with torch.no_grad():
            quiet = self.silent(h)
        self.dangling(h)
        return self.branches[self.pick](h) + quiet


class Pair(nn.Module):
    """A layer whose output is a tuple, and which is called with a keyword."""

    def forward(self, x: Tensor, *, factor: int) -> tuple[Tensor, Tensor]:
        return torch.tanh(x), factor * torch.sigmoid(x)


class Split(nn.Module):
    """Use one part of the pair (0, 1), both unevenly (2, 3), or one with a NaN gradient (4, 5)."""

    def __init__(self, width: int, use: int) -> None:
        super().__init__()
        self.lower, self.head = linear(width, width), linear(width, width)
        self.pair, self.use = Pair(), use

    def forward(self, x: Tensor) -> Tensor:
        a, b = self.pair(self.lower(x), factor=2)
        # The gradient of sqrt(u - u) with respect to u is NaN, and only that part's.
        parts = (a, b, a + 20 * b, 20 * a + b, a + (b - b).sqrt(), (a - a).sqrt() + b)
        return self.head(parts[self.use])


def build_model(spec: dict[str, Any]) -> nn.Module:
    """Build a model that maps (batch, width) to (batch, out); the case fills its parameters."""
    with torch.random.fork_rng(devices=[]):
        return BUILDERS[spec["kind"]](**{name: spec[name] for name in spec if name != "kind"})


def _named(**children: nn.Module) -> nn.Sequential:
    model = nn.Sequential()
    for name, child in children.items():
        model.add_module(name, child)
    return model


def _nested(width: int, hidden: int) -> nn.Module:
    inner = nn.Sequential(linear(hidden, hidden), nn.ELU())
    encoder = nn.Sequential(linear(width, hidden), nn.Tanh(), inner)
    return _named(encoder=encoder, head=linear(hidden, width))


def _dropout(width: int, hidden: int) -> nn.Module:
    lower = nn.Sequential(linear(width, hidden), nn.BatchNorm1d(hidden), nn.Dropout(0.4))
    return _named(lower=lower, act=nn.Tanh(), upper=linear(hidden, width))


def _deep(width: int, depth: int) -> nn.Module:
    pairs = [layer for _ in range(depth) for layer in (linear(width, width), nn.LeakyReLU(0.9))]
    return nn.Sequential(*pairs, linear(width, width))


def _perceptron(width: int, hidden: int, act: str, out: int) -> nn.Module:
    return nn.Sequential(linear(width, hidden), getattr(nn, act)(), linear(hidden, out))


def _frozen_middle(width: int) -> nn.Module:
    frozen = linear(width, width).requires_grad_(False)
    return _named(lower=linear(width, width), frozen=frozen, upper=nn.Tanh())


BUILDERS: dict[str, Callable[..., nn.Module]] = {
    "nested": _nested,
    "branch": Branch,
    "residual": lambda width: _named(block=Residual(width, 5), head=linear(width, width)),
    "gained": lambda width: _named(lower=Gained(width, 5), upper=linear(5, width)),
    "shared": Shared,
    "partial": Partial,
    "split": Split,
    "linear": lambda width: linear(width, width),
    "tanh": lambda width: nn.Tanh(),
    "frozen": _frozen_middle,
    "empty": lambda width: nn.Sequential(linear(width, width), nn.Sequential(), nn.Identity()),
    "ramp": lambda width: nn.Sequential(linear(width, width), nn.LeakyReLU(0.25)),
    "perceptron": _perceptron,
    "dropout": _dropout,
    "deep": _deep,
}


class Scene:
    """Act out one script: models, monitors and what was read on the way."""

    def __init__(self, monitor_class: Any, data: dict[str, Any], tools: Any) -> None:
        self.monitor_class = monitor_class
        self.data = data
        self.tools = tools
        self.model = self.fresh_model()
        self.monitors: dict[str, Any] = {}
        self.answer: dict[str, Any] = {}
        self.pending: Tensor | None = None
        self.before: dict[str, Any] = {}
        self.fired: Counter[str] = Counter()
        self.held: dict[str, Tensor] = {}

    def fresh_model(self) -> nn.Module:
        """Build the model of the case and fill in the parameters that were sent."""
        model = build_model(self.data["model"])
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(self.data["state"][name])
        return model if self.data["train"] else model.eval()

    def attach(self, key: str) -> None:
        """Construct a monitor."""
        self.monitors[key] = self.monitor_class(self.model)

    def forward(self, index: int) -> None:
        """Build a graph and leave it for later."""
        batch = self.data["batches"][index]
        self.pending = self.model(batch["x"].clone().requires_grad_(batch["wants_grad"]))

    def backward(self, index: int, retain: bool = False) -> None:
        """Send a cotangent through the graph that was left."""
        cotangent = self.data["batches"][index]["cotangent"].clone()
        run_backward([self.pending], [cotangent], retain_graph=retain)

    def run(self, index: int) -> None:
        """Do one forward and one backward pass."""
        self.forward(index)
        self.backward(index)
        self.pending = None

    def hold(self, index: int) -> None:
        """Run a batch through tensors that stay; the next batch overwrites them."""
        for name in ("x", "cotangent"):
            values = self.data["batches"][index][name]
            if name in self.held:
                self.refill(self.held[name], values)
            else:
                self.held[name] = values.clone()
        run_backward([self.model(self.held["x"])], [self.held["cotangent"]])

    def refill(self, tensor: Tensor, values: Tensor) -> None:
        """Write other values into a tensor that stays the same object at the same address."""
        self.tools.refill(tensor, values)

    def grad(self, index: int) -> None:
        """Differentiate with ``torch.autograd.grad`` instead: nothing lands in ``.grad``."""
        self.forward(index)
        wanted = [p for p in self.model.parameters() if p.requires_grad]
        autograd_grad([self.pending], wanted, [self.data["batches"][index]["cotangent"]])
        self.pending = None

    def read(self, key: str) -> None:
        """Record what ``max_abs`` says."""
        at = f"read{sum(name.endswith('.layers') for name in self.answer)}"
        found = self.monitors[key].max_abs()
        found = found if isinstance(found, dict) else {f"a {type(found).__name__}": None}
        self.answer[f"{at}.layers"] = [_exact(name, str) for name in found]
        self.answer |= {f"{at}.value.{name!s}": _exact(item, float) for name, item in found.items()}

    def report(self, key: str) -> None:
        """Record the report."""
        at = f"report{sum(name.startswith('report') for name in self.answer)}"
        self.answer[at] = _exact(self.monitors[key].report(), str)

    def spoil(self, key: str) -> None:
        """Empty the dict that was handed out; it must not be the monitor's own."""
        self.monitors[key].max_abs().clear()

    def reset(self, key: str) -> None:
        self.monitors[key].reset()

    def remove(self, key: str) -> None:
        self.monitors[key].remove()

    def within(self, key: str, index: int, fails: bool) -> None:
        """Watch inside a ``with`` statement, which may be left by an exception."""
        self.monitors[key] = monitor = self.monitor_class(self.model)
        swallowed = fails
        try:
            with monitor as entered:
                self.run(index)
                if fails:
                    raise ArithmeticError
        except ArithmeticError:
            swallowed = False
        kinds = [kind for kind in LEAVING if fails and not self.lets_out(kind)]
        kinds += [ArithmeticError] if swallowed else []
        self.answer["fact.swallowed_by_exit"] = [kind.__name__ for kind in kinds]
        self.answer["fact.enter_returns_self"] = [entered is monitor]

    def lets_out(self, kind: type[BaseException]) -> bool:
        """Return whether an exception leaves the block of a new monitor as it is."""
        error = kind("inside")
        try:
            with self.monitor_class(self.model):
                raise error
        except BaseException as came:  # noqa: BLE001
            return came is error
        return False

    def foreign(self) -> None:
        """Register hooks of somebody else on every module."""
        for module in self.model.modules():
            module.register_forward_pre_hook(lambda *_: self.fired.update(["pre"]))
            module.register_forward_hook(lambda *_: self.fired.update(["forward"]))
            module.register_full_backward_hook(lambda *_: self.fired.update(["backward"]))

    def count(self) -> None:
        """Record how often the hooks of others have fired."""
        self.answer["fired"] = [self.fired[kind] for kind in ("pre", "forward", "backward")]

    def remember(self) -> None:
        """Keep what hangs on the modules and parameters now."""
        self.before = dict(_belongings(self.model))

    def compare(self) -> None:
        """Record what differs from what was remembered."""
        after = dict(_belongings(self.model))
        self.answer["fact.left_on_modules"] = _differences(self.before, after)

    def transparency(self, index: int, seed: int) -> None:
        """Do the same pass with and without a monitor and record every difference."""
        manual_seed(seed)
        plain, names = self._observed_pass(index), _names(self.model)
        self.model = self.fresh_model()
        manual_seed(seed)
        self.attach("a")
        watched = self._observed_pass(index)
        for kind, old in plain.items():
            new = watched[kind]
            differ = [k for k in old if k not in new or not self.tools.same_bits(old[k], new[k])]
            self.answer[f"fact.same_{kind}"] = differ + [k for k in new if k not in old]
        self.answer["fact.same_names"] = _differences(names, _names(self.model))

    def _observed_pass(self, index: int) -> dict[str, dict[str, Tensor]]:
        model, batch = self.model, self.data["batches"][index]
        x = batch["x"].clone().requires_grad_()
        output = model(x)
        run_backward([output], [batch["cotangent"]])
        gradients = {k: p.grad for k, p in model.named_parameters() if p.grad is not None}
        return {
            "outputs": {"output": output.detach(), "random state": get_rng_state()},
            "gradients": gradients | {"input": x.grad},
            "state": {k: v.detach() for k, v in model.state_dict().items()},
        }

    def leaks(self, index: int, ends: str) -> None:
        """Record which outputs and gradients outlive the loss."""
        references: list[tuple[str, int]] = []

        def follow(name: str, tensor: Tensor) -> None:
            references.append((name, weak_storage(untyped_storage(tensor))))

        def watch(name: str, output: Tensor) -> None:
            follow(f"output of {name}", output)
            output.register_hook(lambda g: follow(f"gradient of {name}", g))

        for name, module in self.model.named_modules():
            module.register_forward_hook(lambda _m, _x, y, name=name: watch(name, y))
        self.attach("a")
        self.run(index) if ends == "backward" else self.forward(index)
        self.pending = None
        self.model.zero_grad(set_to_none=True)
        if not all(is_expired(reference) for _, reference in references):
            gc.collect()
        kept = [name for name, reference in references if not is_expired(reference)]
        for _, reference in references:
            free_weak_storage(reference)
        self.answer["fact.kept_alive"] = sorted(set(kept))


def _exact(value: Any, kind: type) -> Any:
    return value if value is None or type(value) is kind else f"a {type(value).__name__}"


def _belongings(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Yield everything that hangs on a module or parameter, one level of dicts opened."""
    for name, module in model.named_modules():
        yield f"{name}: class", type(module)
        for key, value in vars(module).items():
            if isinstance(value, dict):
                yield f"{name}.{key}", type(value)
                yield from ((f"{name}.{key}[{inner!r}]", item) for inner, item in value.items())
            elif key != "_is_full_backward_hook":  # which PyTorch leaves set after a removal
                yield f"{name}.{key}", value
    for name, parameter in model.named_parameters():
        yield f"{name}: hooks", len(parameter._backward_hooks or ())
        yield f"{name}: accumulation hooks", len(parameter._post_accumulate_grad_hooks or ())


def _names(model: nn.Module) -> dict[str, Any]:
    names = {f"module {name}": type(module) for name, module in model.named_modules()}
    names |= {f"training {name}": module.training for name, module in model.named_modules()}
    names |= {f"requires_grad {name}": p.requires_grad for name, p in model.named_parameters()}
    names["grad mode"] = is_grad_enabled()
    return names | {f"state {name}": True for name in model.state_dict()}


def _differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    old, new = before.keys(), after.keys()
    facts = [f"{name} is gone" for name in old - new] + [f"{name} is new" for name in new - old]
    facts += [f"{name} changed" for name in old & new if before[name] is not after[name]]
    return sorted(facts)[:9]


def _torch_itself() -> dict[Any, dict[str, Any]]:
    """Take what belongs to PyTorch and to nobody else: classes, engine calls, global hooks."""
    found: dict[Any, dict[str, Any]] = {owner: dict(vars(owner)) for owner in CLASSES}
    for members in found.values():
        members.pop("__annotations__", None)  # which Python makes when somebody asks for them
    engine = torch.autograd
    found[engine] = {"backward": engine.backward, "grad": engine.grad}
    hooks = {name: getattr(MACHINERY, name) for name in GLOBAL_HOOKS}
    found[MACHINERY] = {k: len(v) if isinstance(v, dict) else v for k, v in hooks.items()}
    return found


def _changes_of_torch() -> list[str]:
    facts: list[str] = []
    for owner, now in _torch_itself().items():
        before = PRISTINE[owner]
        if len(now) != len(before) or not all(map(is_, now.values(), before.values())):
            facts += [f"{owner.__name__}.{fact}" for fact in _differences(before, now)]
    return facts[:9]


WATCHED = (nn.Linear, nn.Sequential, nn.Tanh, nn.LeakyReLU, nn.LayerNorm, nn.Dropout, Tensor)
CLASSES = {base for item in WATCHED for base in item.__mro__ if base is not object}
PRISTINE = _torch_itself()


def act(scene: Scene) -> dict[str, Any]:
    """Act out the script of a case."""
    for action, *arguments in scene.data["script"]:
        getattr(scene, action)(*arguments)
    return scene.answer


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Act out the script of a case; PyTorch itself must be afterwards what it was before."""
    assert op == "watch", f"unknown operation {op!r}"
    answer = act(Scene(submission.GradientMonitor, data, tools))
    return answer | {"fact.torch_itself_changed": _changes_of_torch()}
