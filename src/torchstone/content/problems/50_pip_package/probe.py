"""Drive the package where a single call does not reach: orders, fakes, opcheck, the compiler."""

import logging

import torch

opcheck = torch.library.opcheck
gradcheck = torch.autograd.gradcheck
compile_ = torch.compile
empty, ones, windows = torch.empty, torch.ones, torch.Tensor.unfold
copy_, contiguous, stride_of = torch.Tensor.copy_, torch.Tensor.contiguous, torch.Tensor.stride


def probe(submission, op, data, tools):
    return OPERATIONS[op](submission, data, tools)


def operator():
    return torch.ops.ts_leaky_bias.leaky_bias


def differentiate(output, x, bias, gradient, tools, **options):
    """Give the gradients of one call by name; of an output without a graph, None."""
    if not output.requires_grad:
        return {"x": None, "bias": None}
    gradients = tools.vjp([output], [x, bias], [gradient], **options)
    return dict(zip(("x", "bias"), gradients, strict=True))


def state(submission, data, tools):
    """Make every forward first, then every backward, the first call's last."""
    kind, calls = data["kind"], data["calls"]
    needed = kind != "no graph"
    leaves, outputs, found = [], [], {}
    for at, each in enumerate(calls):
        x, bias = (each[name].requires_grad_(needed or at == 0) for name in ("x", "bias"))
        with torch.set_grad_enabled(needed or at > 0):
            output = submission.leaky_bias(x, bias, each["slope"])
        leaves.append((x, bias))
        outputs.append(output)
        found[f"{at}.out"] = tools.plain(output)
        if not needed:
            found[f"{at}.requires_grad"] = output.requires_grad
    if not needed:
        return found
    if kind.endswith("in place"):
        with torch.no_grad():
            copy_(leaves[0][data["name"] == "bias"], data["other"])
        return found | backward_after_change(outputs[0], leaves[0], calls[0], tools)
    for at in (*range(1, len(calls)), 0):
        again = kind == "twice"
        gradients = differentiate(
            outputs[at], *leaves[at], calls[at]["gradient"], tools, retain_graph=again
        )
        found |= {f"{at}.grad.{name}": tools.plain(item) for name, item in gradients.items()}
    if kind == "twice":
        gradients = differentiate(outputs[0], *leaves[0], data["again"], tools)
        found |= {"1.out": found["0.out"]}
        found |= {f"1.grad.{name}": tools.plain(item) for name, item in gradients.items()}
    return found


def backward_after_change(output, leaves, each, tools):
    tried = tools.attempt(lambda: differentiate(output, *leaves, each["gradient"], tools))
    if "raised" in tried:
        return {"0.raised": tried["raised"]}
    return {f"0.grad.{name}": tools.plain(item) for name, item in tried["value"].items()}


def errors(submission, data, tools):
    """Make a call that must be refused, on real tensors, on meta tensors and on fake ones."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    def make(device):
        specs = (data["x"], data["bias"])
        tensors = [
            ones(spec["shape"], dtype=getattr(torch, spec["dtype"]), device=device)
            for spec in specs
        ]
        return submission.leaky_bias(*tensors, 0.1)

    def make_fake():
        # Torch logs what a fake refuses; here a refusal is right.
        log = logging.getLogger("torch._subclasses.fake_tensor")
        log.disabled = True
        try:
            with FakeTensorMode():
                return make("cpu")
        finally:
            log.disabled = False

    tries = {"cpu": lambda: make("cpu"), "meta": lambda: make("meta"), "fake": make_fake}
    attempts = {where: tools.attempt(work) for where, work in tries.items()}
    return {
        f"{where}.raised": tried["raised"] for where, tried in attempts.items() if "raised" in tried
    }


def schema(submission, data, tools):
    return {"schema": str(operator().default._schema)}


def fake(submission, data, tools):
    """Give shape, dtype and strides of a result: by the kernel, by meta tensors, by fakes."""
    return {f"{name}.promise": promises(tools, **each) for name, each in data["calls"].items()}


def promises(tools, x, bias, slope, **rest):
    from torch._subclasses.fake_tensor import FakeTensorMode

    def with_fakes():
        with FakeTensorMode() as mode:
            return operator()(mode.from_tensor(x), mode.from_tensor(bias), slope)

    tries = {
        "cpu": lambda: operator()(x, bias, slope),
        "meta": lambda: operator()(as_meta(x), as_meta(bias), slope),
        "fake": with_fakes,
    }
    return {where: promise(tools.attempt(work)) for where, work in tries.items()}


def as_meta(tensor):
    shape, strides = tuple(tensor.shape), stride_of(tensor)
    return torch.empty_strided(shape, strides, dtype=tensor.dtype, device="meta")


def promise(tried):
    """Describe a result; strides only of dimensions in which it makes a step."""
    if "raised" in tried:
        return f"raised {tried['raised']['type']}"
    result = tried["value"]
    shape = [int(size) for size in result.shape]
    pairs = zip(result.stride(), shape, strict=True)
    steps = [int(step) for step, size in pairs if size > 1]
    return [shape, str(result.dtype), steps if result.numel() else []]


def direct(submission, data, tools):
    """Differentiate a call of the operator itself, as torch.export's users make it."""
    x, bias = (data[name].requires_grad_() for name in ("x", "bias"))
    output = operator()(x, bias, data["slope"])
    gradients = differentiate(output, x, bias, data["gradient"], tools)
    found = {f"grad.{name}": tools.plain(item) for name, item in gradients.items()}
    return found | {"out": tools.plain(output)}


def check_operator(submission, data, tools):
    x, bias = (data[name].requires_grad_(name in data["need"]) for name in ("x", "bias"))
    arguments = (x, bias, data["slope"])
    results = opcheck(operator().default, arguments, raise_exception=False)
    return {name: first_line(result) for name, result in results.items()}


def first_line(result):
    if not isinstance(result, BaseException):
        return str(result)
    lines = str(result).strip().splitlines() or [""]
    return f"{type(result).__name__}: {lines[0][:200]}"


def check_gradient(submission, data, tools):
    inputs = tuple(data[name].requires_grad_() for name in ("x", "bias"))

    def function(x, bias):
        return submission.leaky_bias(x, bias, data["slope"])

    tried = tools.attempt(lambda: gradcheck(function, inputs))
    if "raised" in tried:
        kind, message = tried["raised"]["type"], tried["raised"]["message"]
        return {"gradcheck": f"{kind}: {message}"[:300]}
    return {"gradcheck": tried["value"]}


def compiled(submission, data, tools):
    slope = data["calls"][0]["slope"]

    def function(x, bias):
        return submission.leaky_bias(x, bias, slope)

    whole, found = compile_(function, fullgraph=True, backend="aot_eager"), {}
    for at, each in enumerate(data["calls"]):
        x, bias = (each[name].requires_grad_() for name in ("x", "bias"))
        output = whole(x, bias)
        gradients = differentiate(output, x, bias, each["gradient"], tools)
        found[f"{at}.out"] = tools.plain(output)
        found |= {f"{at}.grad.{name}": tools.plain(item) for name, item in gradients.items()}
    return found


def double(submission, data, tools):
    return tools.call(submission, data["call"], tools.Session())


def huge(submission, data, tools):
    """Call it on millions of elements, and give those cells that are asked for."""
    size = data["bias"].shape[0]
    x = contiguous(windows(data["x"], 0, size, 1)).requires_grad_()
    output = submission.leaky_bias(x, data["bias"], data["slope"])
    (grad_x,) = tools.vjp([output], [x], [windows(data["gradient"], 0, size, 1)])
    at = (data["rows"], data["columns"])
    return {"out": tools.plain(output[at]), "grad.x": tools.plain(grad_x[at])}


OPERATIONS = {
    "state": state,
    "errors": errors,
    "schema": schema,
    "fake": fake,
    "direct": direct,
    "opcheck": check_operator,
    "gradcheck": check_gradient,
    "compile": compiled,
    "double": double,
    "huge": huge,
}
