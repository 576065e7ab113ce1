"""Give parameters their gradients, clip them, and describe what became of everything."""

import builtins

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

GAP = 7.0
ASKED = torch.ops.aten._local_scalar_dense.default
PARAMETER = 0.5
zeros, full, full_like = torch.zeros, torch.full, torch.full_like
copy_, detach, clone = torch.Tensor.copy_, torch.Tensor.detach, torch.Tensor.clone


class Waits(TorchDispatchMode):
    """Count how often a number of a tensor is asked for."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func is ASKED
        return func(*args, **(kwargs or {}))


def strided(values, layout, buffers):
    """Put values into memory in a layout; note the memory, and how much of it are gaps."""
    if layout == "transposed":
        return values.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == "stepped":
        wide = full((*values.shape[:-1], 2 * values.shape[-1]), GAP, dtype=values.dtype)
        buffers.append((wide, values.numel()))
        return copy_(wide[..., ::2], values)
    if layout == "offset":
        flat = full((values.numel() + 5,), GAP, dtype=values.dtype)
        buffers.append((flat, 5))
        return copy_(flat[3:-2].view(values.shape), values)
    return clone(values)


def flat_views(data, buffers):
    """Make one buffer of all gradients that are views into it, with a gap after each."""
    views = [i for i, layout in enumerate(data["layouts"]) if layout == "flat"]
    sizes = [data["grads"][i].numel() for i in views]
    flat, found, start = full((sum(sizes) + 2 * len(sizes),), GAP), {}, 0
    for i, size in zip(views, sizes, strict=True):
        values = data["grads"][i]
        found[i] = copy_(flat[start : start + size].view(values.shape), values)
        start += size + 2
    if views:
        buffers.append((flat, 2 * len(views)))
    return found


def gradients(data, buffers):
    """Make the gradients as they hang on the parameters."""
    flat = flat_views(data, buffers)
    found = []
    for i, (values, layout) in enumerate(zip(data["grads"], data["layouts"], strict=True)):
        if values is None:
            found.append(None)
        elif layout == "flat":
            found.append(flat[i])
        elif layout == "graph":
            found.append(clone(values).requires_grad_() * 1.0)
        else:
            found.append(strided(values, layout, buffers))
    return found


def passed(parameters, how):
    if how == "single":
        return parameters[0]
    if how == "generator":
        return (parameter for parameter in parameters)
    return {"list": list, "tuple": tuple, "iterator": iter}[how](parameters)


def probe(submission, op, data, tools):
    """Clip once, or twice where ``again`` has other values for the same gradients."""
    buffers = []
    grads = gradients(data, buffers)
    parameters = []
    for grad, shape, dtype in zip(grads, data["shapes"], data["dtypes"], strict=True):
        parameter = full(tuple(shape), PARAMETER, dtype=getattr(torch, dtype)).requires_grad_()
        parameter.grad = grad
        parameters.append(parameter)
    found = clipped(submission, data, parameters, grads, tools)
    if data["again"] and "total" in found:
        with torch.no_grad():
            for grad, values in zip(grads, data["again"], strict=True):
                copy_(grad, values)
        second = clipped(submission, data, parameters, grads, tools)
        found |= {f"second {key}": value for key, value in second.items()}
    found["gaps"] = all(int((whole == GAP).sum()) >= num_gaps for whole, num_gaps in buffers)
    return found


def clipped(submission, data, parameters, grads, tools):
    places = [None if grad is None else (grad.data_ptr(), grad.stride()) for grad in grads]
    histories = [None if grad is None else (grad.requires_grad, grad.grad_fn) for grad in grads]
    given = passed([parameters[i] for i in data["passed"]], data["how"])
    state = tools.global_state()
    waits = Waits()

    def call():
        return submission.clip_grad_norm(given, **data["arguments"])

    attempted = tools.attempt(call if not data["counts"] else lambda: counted(call, waits))
    tools.same_state(state)
    found = {}
    if "raised" in attempted:
        found["raised"] = attempted["raised"]
    else:
        total = attempted["value"]
        found["total"] = tools.plain(total)
        if isinstance(total, torch.Tensor):
            found["total without a graph"] = not total.requires_grad
            others = [*parameters, *(grad for grad in grads if grad is not None)]
            found["total is new"] = not any(tools.same_storage(total, each) for each in others)
    if data["counts"]:
        found["waits"] = waits.count
    now = [parameter.grad for parameter in parameters]
    found["same gradients"] = all(a is b for a, b in zip(now, grads, strict=True))
    for i, grad in enumerate(grads):
        # What was on the parameter: the optimiser reads it.
        found[f"gradient {i}"] = None if now[i] is None else tools.plain(now[i].detach())
        if grad is not None:
            same = (grad.data_ptr(), grad.stride()) == places[i]
            kept = (grad.requires_grad, grad.grad_fn) == histories[i]
            found[f"memory {i}"], found[f"graph {i}"] = same, kept
    found["parameters"] = all(bool((p.detach() == PARAMETER).all()) for p in parameters)
    return found


def counted(call, waits):
    with waits:
        return call()
