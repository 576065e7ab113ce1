"""Run a program of operations on a list of modules, and describe the list after each line."""

import builtins
import copy
import itertools
import pickle

import torch
from torch import nn

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

deepcopy, dumps, loads = copy.deepcopy, pickle.dumps, pickle.loads
instance_dict = object.__getattribute__
# No list in a program is longer; a length or an iterator that lies ends here.
CAP = 64


def classes_of_torch(kind=nn.Module):
    """Collect the classes below nn.Module that exist before a submission comes."""
    found = set(type.__subclasses__(kind))
    for each in type.__subclasses__(kind):
        found |= classes_of_torch(each)
    return found


OF_TORCH = classes_of_torch()


def members():
    """List what belongs to classes of PyTorch, without what Python itself keeps there."""
    return {
        (kind.__name__, name): item
        for kind in KINDS
        for name, item in vars(kind).items()
        if name not in KEPT
    }


KINDS = (nn.Module, nn.Linear, nn.Parameter)
# Made when somebody asks for annotations, and when an instance is copied.
KEPT = ("__annotations__", "__slotnames__")
PRISTINE = members()


def replaced_members():
    """Name the attributes of torch's classes that are others now, or are new or gone."""
    now = members()
    names = [key for key in PRISTINE | now if now.get(key, key) is not PRISTINE.get(key, key)]
    return sorted(".".join(key) for key in names)[:9]


def foreign_bases(kind):
    """Name the classes of torch that a class derives from, nn.Module left aside."""
    bases = type.__dict__["__mro__"].__get__(kind)
    return [
        base.__name__
        for base in bases
        if base in OF_TORCH
        or (base is not nn.Module and str(base.__module__).partition(".")[0] == "torch")
    ]


class Falsy:
    """Iterate over items once, and be False in a truth test."""

    def __init__(self, *items):
        self.items = iter(items)

    def __bool__(self):
        return False

    def __iter__(self):
        return self.items


class Program:
    """Hold the names that the lines of a program see, and say which module is which."""

    def __init__(self, submission, data, tools):
        self.tools, self.kind = tools, submission.MyModuleList
        self.modules = {name: build(state) for name, state in data["modules"].items()}
        self.modules |= {name: self.kind() for name in data["empty"]}
        helpers = {"MyModuleList": self.kind, "Falsy": Falsy, "torch": torch, "nn": nn}
        self.scope = {**helpers, **self.modules, "__builtins__": __builtins__}
        self.names = {id(module): name for name, module in self.modules.items()}

    def name(self, item):
        return "None" if item is None else self.names.get(id(item), f"a {type(item).__name__}")

    def row(self, items):
        return " ".join(self.name(item) for item in itertools.islice(items, CAP))

    def describe(self, value):
        """Describe what a line returned: plain data, a module by its name, or a list of them."""
        if value is None or type(value) in (bool, int, str):
            return value
        if id(value) in self.names:
            return self.names[id(value)]
        if isinstance(value, self.kind):
            return f"MyModuleList [{self.row(value)}]"
        return f"a {type(value).__name__}"

    def run(self, line):
        if " = " in line or " += " in line or line.startswith("del "):
            exec(compile(line, "<program>", "exec"), self.scope)
            return None
        return self.describe(eval(compile(line, "<program>", "eval"), self.scope))

    def parameters(self, pairs):
        """Describe named parameters: name and owner, if the parameter is the owner's own."""
        owners = {
            id(parameter): f"{name}.{kind}"
            for name, module in self.modules.items()
            for kind, parameter in module._parameters.items()
        }
        return " ".join(f"{name}={owners.get(id(item), '?')}" for name, item in pairs)

    def look(self, name, parts):
        """Describe what a name of the program means, if it means something yet."""
        if name not in self.scope:
            return {}
        ml = self.scope[name]
        return self.read(ml, parts) if isinstance(ml, self.kind) else {"type": type(ml).__name__}

    def read(self, ml, parts):
        """Describe a list by every way to look at it."""
        size = min(len(ml), CAP)
        registry = instance_dict(ml, "__dict__").get("_modules", {})
        readers = {
            "len": lambda: len(ml),
            "items": lambda: self.row(ml),
            "by index": lambda: self.row(ml[i] for i in range(size)),
            "by negative index": lambda: self.row(ml[-i] for i in range(1, size + 1)),
            "registry": lambda: " ".join(f"{key}={self.name(m)}" for key, m in registry.items()),
            "state_dict": lambda: " ".join(ml.state_dict()),
            "parameters": lambda: self.parameters(ml.named_parameters()),
            "modules": lambda: " ".join(
                f"{name}={'itself' if m is ml else self.name(m)}" for name, m in ml.named_modules()
            ),
            "reversed": lambda: self.row(reversed(ml)),
            "truth": lambda: bool(ml),
            "members": lambda: " ".join(
                name
                for name, m in {**self.modules, "None": None, "'0'": "0", "0": 0}.items()
                if m in ml
            ),
        }
        found = {}
        for part in parts:
            attempted = self.tools.attempt(readers[part])
            found[part] = attempted.get("value", told(attempted.get("raised")))
        return found


def build(state):
    layer = nn.Linear(*state["weight"].shape)
    layer.weight = nn.Parameter(state["weight"])
    layer.bias = nn.Parameter(state["bias"])
    return layer


def probe(submission, op, data, tools):
    """Run the lines; the one operation of this problem is ``replay``."""
    program = Program(submission, data, tools)
    found = {"bases": " ".join(foreign_bases(program.kind))}
    for number, (line, raises) in enumerate(data["lines"], 1):
        attempted = tools.attempt(lambda line=line: program.run(line))
        raised = attempted.get("raised")
        if raised is not None and raised["memory"]:
            return {"raised": raised}
        if raises and raised is not None:
            found[f"line {number} raised"] = raised
        elif not raises:
            found[f"line {number} result"] = attempted.get("value", told(raised))
            if raised is not None:
                # What the next lines do to such a list says nothing more.
                return found
        for name in data["lists"]:
            seen = program.look(name, data["parts"])
            found |= {f"line {number} {name}: {part}": value for part, value in seen.items()}
            if "type" in seen:
                # It is no list any more; nothing after this line says more.
                return found
    if data["end"]:
        found |= finish(program, data["end"], tools)
    return found | {"torch itself": " ".join(replaced_members())}


def told(raised):
    """Say what was raised, and at which line of the submission."""
    if raised is None:
        return None
    return f"{raised['type']} at line {raised['line']}: {raised['message'][:60]}"


def finish(program, end, tools):
    """Do to the list what happens to a part of a model."""
    found = {}
    for part, action in ENDS.items():
        attempted = tools.attempt(lambda action=action: action(program, end, tools))
        if "raised" in attempted:
            return found | {f"end {part}": told(attempted["raised"])}
        found |= {f"end {key}": value for key, value in attempted["value"].items()}
    return found


def flat(tensors):
    """Join the values of tensors; the empty tensor of none."""
    parts = [item.detach().reshape(-1) for item in tensors]
    return torch.cat(parts) if parts else torch.empty(0)


def linears(program, ml):
    return [item for item in itertools.islice(ml, CAP) if type(item) is nn.Linear]


def forward(program, end, tools):
    """Run an input through all items, with tanh between them, and back."""
    layers = linears(program, program.scope["ml"])
    x, parameters = end["x"].requires_grad_(), {}
    y = x
    for position, layer in enumerate(layers):
        y = layer(torch.tanh(y) if position else y)
        name = program.name(layer)
        parameters |= {f"{name}.weight": layer.weight, f"{name}.bias": layer.bias}
    gradients = tools.vjp([y], [x, *parameters.values()], [end["cotangent"]])
    found = {"out": tools.plain(y)}
    for name, gradient in zip(["x", *parameters], gradients, strict=True):
        found[f"grad {name}"] = tools.plain(gradient)
    return found


def saved(program, end, tools):
    """Save the list as a part of a model, copy the model, empty the copy and load it."""
    ml, parent = program.scope["ml"], nn.Module()
    parent.layers = ml
    state = parent.state_dict()
    other = deepcopy(parent)
    own = {id(item) for item in parent.parameters()}
    found = {
        "state": flat(state.values()),
        "copy": flat(other.state_dict().values()),
        "copy parameters": " ".join(name for name, _ in other.named_parameters()),
        "copy is independent": not any(id(item) in own for item in other.parameters()),
        "copy is a MyModuleList": type(other.layers) is type(ml),
    }
    with torch.no_grad():
        for item in other.parameters():
            item.zero_()
    found["not changed by the copy"] = flat(parent.state_dict().values())
    keys = other.load_state_dict(state, strict=True)
    found["unmatched keys"] = [*keys.missing_keys, *keys.unexpected_keys]
    found["loaded"] = flat(other.state_dict().values())
    return found


def moved(program, end, tools):
    """Visit, freeze, cast and move everything that is registered."""
    ml, visited = program.scope["ml"], []
    ml.apply(visited.append)
    layers = linears(program, ml)
    parameters = [parameter for layer in layers for parameter in (layer.weight, layer.bias)]
    found = {"applied": program.row(visited[:-1]), "applied to itself": visited[-1:] == [ml]}
    ml.eval()
    found["eval"] = any(layer.training for layer in layers)
    ml.train()
    found["train"] = all(layer.training for layer in layers)
    ml.requires_grad_(False)
    found["frozen"] = not any(parameter.requires_grad for parameter in parameters)
    ml.double()
    found["double"] = all(parameter.dtype == torch.float64 for parameter in parameters)
    ml.to("meta")
    devices = {layer.weight.device.type for layer in layers}
    found["meta"] = devices <= {"meta"}
    return found


def fresh(program, end, tools):
    """Make new lists, which share nothing with each other."""
    one, two = program.kind(), program.kind()
    layer = nn.Linear(1, 1)
    one.append(layer)
    lengths = [len(one), len(two), len(program.kind())]
    # Without parameters: torch writes their values by a function that every ban closes.
    again = loads(dumps(program.kind([nn.ReLU(), nn.Tanh()])))
    kept = [type(item).__name__ for item in itertools.islice(again, CAP)]
    return {"new lists": lengths, "new list is falsy": not two, "pickled": kept}


ENDS = {"forward": forward, "saved": saved, "moved": moved, "fresh": fresh}
