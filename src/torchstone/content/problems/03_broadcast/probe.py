"""Look at views from outside: their strides, their storage, and what they show after a write.

Metadata and cells are read through methods of the C++ base class, which Python cannot patch.
"""

import torch

Base = torch._C.TensorBase
WHOLE_CAP = 4096

# Pairs (argument, result) of the last request, for the write that follows.
kept = []


def probe(submission, op, data, tools):
    """Answer one of the requests that an ordinary call cannot express."""
    if op == "shapes":
        return _shapes(submission, data["queries"], data["kind"])
    if op == "write":
        return _write(data)
    kept.clear()
    if op == "expand":
        result = x = data["x"]
        before = tools.storage_snapshot(x)
        for shape in data["shapes"]:
            result = submission.broadcast_to(result, _typed(shape, data["kind"]))
        return _describe([(x, result)], [before], data["cells"], tools)
    tensors = data["tensors"]
    before = [tools.storage_snapshot(x) for x in tensors]
    result = submission.broadcast_tensors(*tensors)
    pairs = list(zip(tensors, result, strict=False))
    found = {"is_tuple": isinstance(result, tuple), "count": len(result)}
    return found | _describe(pairs, before, data["cells"], tools)


def _shapes(submission, queries, kind):
    found = {}
    for number, shapes in enumerate(queries):
        result = submission.broadcast_shapes(*[_typed(shape, kind) for shape in shapes])
        found[f"{number}.shape"] = list(result)
        found[f"{number}.is_tuple"] = isinstance(result, tuple)
    return found


def _typed(shape, kind):
    return {"tuple": tuple, "list": list, "size": torch.Size}[kind](shape)


def _describe(pairs, before, cells, tools):
    kept[:] = pairs
    found = {}
    for position, (x, result) in enumerate(pairs):
        if not tools.is_plain(result):
            raise tools.Fault("value_type", type=type(result).__name__)
        if tools.storage_changed(x, before[position]):
            raise tools.Fault("call_mutated")
        found |= {
            f"{position}.shape": list(Base.size(result)),
            f"{position}.stride": list(Base.stride(result)),
            f"{position}.dtype": Base.dtype.__get__(result),
            f"{position}.same_storage": tools.same_storage(x, result),
            f"{position}.same_pointer": Base.data_ptr(x) == Base.data_ptr(result),
            f"{position}.cells": [_cell(result, index) for index in cells],
        }
        if Base.numel(result) <= WHOLE_CAP:
            found[f"{position}.values"] = tools.plain(result)
    return found


def _cell(tensor, index):
    """Read one cell by its address; None where the tensor has no such cell."""
    sizes, strides = Base.size(tensor), Base.stride(tensor)
    if len(sizes) != len(index) or any(i >= n for i, n in zip(index, sizes, strict=True)):
        return None
    address = Base.storage_offset(tensor)
    address += sum(i * stride for i, stride in zip(index, strides, strict=True))
    return Base.item(Base.as_strided(tensor, (), (), address))


def _write(data):
    """Overwrite the storage of every argument, then look at the cells of every result."""
    # Of a call that raised, or that returned too few views, the first answer tells.
    for (x, _), values in zip(kept, data["storages"], strict=False):
        flat = Base.set_(Base.new_empty(x, (0,)), Base.untyped_storage(x), 0, values.shape, (1,))
        Base.copy_(flat, values)
    return {
        f"{position}.cells": [_cell(result, index) for index in data["cells"]]
        for position, (_, result) in enumerate(kept)
    }
