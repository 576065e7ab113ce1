"""Drive layers through scripts of forward, backward, zero_grad and step."""

import torch

copy = torch.Tensor.copy_
Parameter = torch.nn.Parameter
tanh = torch.tanh


def probe(submission, op, data, tools):
    return OPERATIONS[op](submission, data, tools)


def make(submission, described, tools):
    """Construct a layer and fill its parameters, by copying or by assignment."""
    layer = submission.Linear(*described["init"], **described["init_kwargs"])
    for name in ("weight", "bias"):
        value, parameter = described[name], getattr(layer, name)
        if value is None:
            if parameter is not None:
                raise tools.Fault("bias_not_none", name=name)
            continue
        if not isinstance(parameter, torch.Tensor) or parameter.shape != value.shape:
            raise tools.Fault("parameter_shape", name=name, shape=tuple(value.shape))
        if described["fill"] == "assign":
            setattr(layer, name, value)
        else:
            with torch.no_grad():
                copy(parameter, value)
    return layer


class Run:
    """Remember, over one script, what must stay as it was."""

    def __init__(self, submission, data, tools):
        self.tools = tools
        self.layers = [make(submission, each, tools) for each in data["layers"]]
        self.tensors, self.others = data["tensors"], data.get("others", {})
        self.snapshot()
        self.results = []
        self.found = {}
        graphs = [parameter.requires_grad for parameter in self.parameters()]
        self.found["requires_grad"] = any(graphs)

    def parameters(self):
        pairs = [(layer.weight, layer.bias) for layer in self.layers]
        return [parameter for pair in pairs for parameter in pair if parameter is not None]

    def snapshot(self):
        tensors = self.tensors.values()
        self.snapshots = [(each, self.tools.storage_snapshot(each)) for each in tensors]

    def unchanged(self):
        for tensor, snapshot in self.snapshots:
            if self.tools.storage_changed(tensor, snapshot):
                raise self.tools.Fault("call_mutated")

    def forward(self, layer, name, key):
        self.found[key] = self.take(layer.forward(self.tensors[name]))

    def backward(self, layer, name, key):
        self.found[key] = self.take(layer.backward(self.tensors[name]))

    def refused(self, layer, name, what):
        attempted = self.tools.attempt(lambda: getattr(layer, what)(self.tensors[name]))
        self.found["refused"] = "raised" in attempted

    def recover(self, layer, name, key):
        attempted = self.tools.attempt(lambda: layer.backward(self.tensors[name]))
        if "raised" in attempted:
            raise self.tools.Fault("forward_forgotten")
        self.found[key] = self.take(attempted["value"])

    def overwrite(self, layer):
        """Put other values into the same tensors; what was compared with the old ones is done."""
        self.unchanged()
        for name, other in self.others.items():
            self.tools.refill(self.tensors[name], other)
        self.snapshot()

    def take(self, result):
        """Refuse a result that is no plain tensor or shares memory; remember its bits."""
        tools = self.tools
        if not tools.is_plain(result):
            raise tools.Fault("value_type", type=type(result).__name__)
        others = [*self.tensors.values(), *self.parameters()]
        if any(tools.same_storage(result, other) for other in others):
            raise tools.Fault("result_shares_input")
        for earlier, (other, _) in enumerate(self.results):
            if tools.overlap(result, other):
                values = {"position": len(self.results), "earlier": earlier}
                raise tools.Fault("results_share_memory", **values)
        if result.requires_grad:
            self.found["requires_grad"] = True
        sent = tools.sendable(result)
        self.results.append((result, sent))
        return sent

    def read(self, layer, key):
        for name in ("weight_grad", "bias_grad"):
            self.found[f"{key}.{name}"] = self.tools.plain(getattr(layer, name))

    def weights(self, layer, key):
        for name in ("weight", "bias"):
            self.found[f"{key}.{name}"] = send(getattr(layer, name), self.tools)

    def zero_grad(self, layer):
        layer.zero_grad()

    def step(self, layer, lr):
        before = [(layer.weight, pointer(layer.weight)), (layer.bias, pointer(layer.bias))]
        layer.step(lr)
        after = [(layer.weight, pointer(layer.weight)), (layer.bias, pointer(layer.bias))]
        pairs = zip(before, after, strict=True)
        kept = all(old[0] is new[0] and old[1] == new[1] for old, new in pairs)
        self.found["in_place"] = self.found.get("in_place", True) and kept


def send(parameter, tools):
    """Return a parameter as it may travel; an nn.Parameter without gradient is welcome."""
    return tools.sendable(parameter) if type(parameter) is Parameter else tools.plain(parameter)


def pointer(tensor):
    return None if tensor is None else tensor.data_ptr()


def script(submission, data, tools):
    run = Run(submission, data, tools)
    state = tools.global_state()
    for what, position, *rest in data["script"]:
        getattr(run, what)(run.layers[position], *rest)
    tools.same_state(state)
    run.unchanged()
    for result, bits in run.results:
        if not tools.same_bits(result, bits):
            raise tools.Fault("previous_result_changed")
    if "y0 again" in run.found and not tools.same_bits(run.found["y0"], run.found["y0 again"]):
        raise tools.Fault("second_call_differs")
    return run.found


def chain(submission, data, tools):
    first, second = (make(submission, each, tools) for each in data["layers"])
    hidden = tanh(first.forward(data["x"]))
    found = {"y": tools.plain(second.forward(hidden))}
    grad_hidden = second.backward(data["g"])
    found["gx"] = tools.plain(first.backward(grad_hidden * (1 - hidden * hidden)))
    for position, layer in enumerate((first, second)):
        found[f"{position}.weight_grad"] = tools.plain(layer.weight_grad)
        found[f"{position}.bias_grad"] = tools.plain(layer.bias_grad)
    return found


def descent(submission, data, tools):
    """Train one layer on the mean squared error."""
    layer = make(submission, data["layers"][0], tools)
    losses = []
    for _ in range(data["num_steps"]):
        error = layer.forward(data["x"]) - data["target"]
        losses.append((error * error).mean())
        layer.zero_grad()
        layer.backward(error * (2 / error.numel()))
        layer.step(data["lr"])
    found = {"losses": torch.stack(losses)}
    return found | {"weight": send(layer.weight, tools), "bias": send(layer.bias, tools)}


def facts(submission, data, tools):
    """Construct layers from a generator and from the global random state."""

    def construct(generator=None, sizes=data["small"]):
        keywords = dict(data["init_kwargs"])
        if generator is not None:
            keywords["generator"] = generator
        layer = submission.Linear(*sizes, **keywords)
        return {name: send(getattr(layer, name), tools) for name in ("weight", "bias")}

    def same(one, other):
        return tools.same_bits(one["weight"], other["weight"])

    seed, other_seed = data["seeds"]
    state = torch.get_rng_state()
    generator = torch.Generator().manual_seed(seed)
    first, second = construct(generator), construct(generator)
    drawn = construct(generator, data["init"])
    again = construct(torch.Generator().manual_seed(seed))
    untouched = tools.torch_equal(state, torch.get_rng_state())
    torch.manual_seed(seed)
    by_global = construct()
    torch.manual_seed(seed)
    by_global_again = construct()
    torch.manual_seed(other_seed)
    by_other = construct()
    torch.set_rng_state(state)
    layer = submission.Linear(*data["small"], **data["init_kwargs"])
    torch.set_rng_state(state)
    graphs = [p.requires_grad for p in (layer.weight, layer.bias) if p is not None]
    return drawn | {
        "requires_grad": any(graphs),
        "weight_grad": tools.plain(layer.weight_grad),
        "bias_grad": tools.plain(layer.bias_grad),
        "repeats": same(first, again) and same(by_global, by_global_again),
        "varies": not same(first, second) and not same(by_global, by_other),
        "global untouched": untouched,
    }


def illegal(submission, data, tools):
    """Make calls of which the last must raise; say whether it left the gradients alone."""
    attempted = tools.attempt(lambda: submission.Linear(*data["init"]))
    if "raised" in attempted:
        return attempted
    if not data["calls"]:
        return {}
    layer, (*legal, (name, argument)) = attempted["value"], data["calls"]
    for each, tensor in legal:
        getattr(layer, each)(tensor)
    before = gradients(layer, tools)
    attempted = tools.attempt(lambda: getattr(layer, name)(argument))
    found = {"legal": True, "kept": unchanged(before, gradients(layer, tools), tools)}
    return found | {key: item for key, item in attempted.items() if key == "raised"}


def gradients(layer, tools):
    return [tools.plain(layer.weight_grad), tools.plain(layer.bias_grad)]


def unchanged(before, after, tools):
    pairs = zip(before, after, strict=True)
    return all(
        old is new if old is None or new is None else tools.same_bits(old, new)
        for old, new in pairs
    )


OPERATIONS = {
    "script": script,
    "chain": chain,
    "descent": descent,
    "facts": facts,
    "illegal": illegal,
}
