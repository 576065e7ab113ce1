"""Build the samples, collate them, and describe the structure that came out."""

import builtins
import collections
import functools
import pickle

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data._utils import fetch

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

Tensor, Dataset, Fetcher = torch.Tensor, torch.utils.data.Dataset, fetch._MapDatasetFetcher
is_contiguous, split, numel = Tensor.is_contiguous, Tensor.split, Tensor.numel
dumps, loads, partial = pickle.dumps, pickle.loads, functools.partial
OrderedDict, Mapping = collections.OrderedDict, collections.abc.Mapping
PADDED = ("data", "lengths", "mask")
# By the names of the fields; a batch must come back in the class of its samples.
NAMED = {
    ("tokens", "label"): collections.namedtuple("Example", ("tokens", "label")),
    ("audio", "text", "speaker"): collections.namedtuple("Clip", ("audio", "text", "speaker")),
}


def probe(submission, op, data, tools):
    """Answer one request."""
    return OPERATIONS[op](submission.pad_collate, data, tools)


def built(item):
    """Build one sample from its description; whatever is no dict stands for itself."""
    if type(item) is not dict:
        return item
    parts = [built(each) for each in item.get("items", ())]
    if item["as"] == "named":
        return NAMED[tuple(item["keys"])](*parts)
    if item["as"] in ("dict", "ordered"):
        kind = dict if item["as"] == "dict" else OrderedDict
        return kind(zip(item["keys"], parts, strict=True))
    if item["as"] == "object":
        return object()
    return tuple(parts) if item["as"] == "tuple" else parts


def tensors_of(item):
    """List the tensors of a description; they are the ones that its sample has."""
    if isinstance(item, Tensor):
        return [item]
    parts = item.get("items", ()) if type(item) is dict else ()
    return [tensor for each in parts for tensor in tensors_of(each)]


class Seen:
    """What a result is made of: its form in words, its tensors by path."""

    def __init__(self, tools):
        self.tools, self.leaves, self.loose = tools, {}, []

    def form(self, value, path):
        if isinstance(value, Tensor):
            if not self.tools.is_plain(value):
                raise self.tools.Fault("value_type", type=type(value).__name__)
            self.leaves[path] = value
            if not is_contiguous(value):
                self.loose.append(path)
            return "tensor"
        if type(value) is list and value and all(type(each) in (str, bytes) for each in value):
            return f"list {value!r}"
        for names, kind in NAMED.items():
            if type(value) is kind:
                return f"{kind.__name__}({self.forms(zip(names, value, strict=True), path)})"
        if isinstance(value, Mapping):
            return self.of_mapping(value, path)
        if type(value) in (tuple, list):
            return f"sequence({self.forms(enumerate(value), path)})"
        return f"a {type(value).__name__}"

    def of_mapping(self, value, path):
        if set(value) != set(PADDED):
            return f"mapping({self.forms(value.items(), path)})"
        # The dict of a padded field; the order of its keys is free.
        if type(value) is not dict:
            return f"{type(value).__name__} instead of dict"
        return f"dict({self.forms(((key, value[key]) for key in PADDED), path)})"

    def forms(self, items, path):
        return ", ".join(f"{key}: {self.form(each, f'{path}.{key}')}" for key, each in items)


def describe(result, prefix, tools):
    """Return the answer's entries for one result, and its tensors."""
    seen = Seen(tools)
    found = {f"{prefix}form": seen.form(result, "batch")}
    found[f"{prefix}not contiguous"] = seen.loose
    found |= {f"{prefix}{path}": tools.sendable(leaf) for path, leaf in seen.leaves.items()}
    return found, list(seen.leaves.values())


def once(function, data, tools):
    """Collate one batch."""
    given = [tensor for item in data["batch"] for tensor in tensors_of(item)]
    before = [tools.storage_snapshot(each) for each in given]
    state = tools.global_state()
    batch = [built(item) for item in data["batch"]]
    batch = tuple(batch) if data["given"] == "tuple" else batch
    kept = list(batch)
    result = function(batch, **data["options"])
    tools.same_state(state)
    changed = any(map(tools.storage_changed, given, before))
    if changed or any(a is not b for a, b in zip(batch, kept, strict=True)):
        raise tools.Fault("call_mutated")
    return describe(result, "", tools)[0]


def alias(function, data, tools):
    """Collate twice; look whether results share memory with the samples or with each other."""
    given = [tensor for item in data["batch"] for tensor in tensors_of(item)]
    results, copies, found = [], [], {}
    for number in range(2):
        batch = [built(item) for item in data["batch"]]
        entries, leaves = describe(function(batch, **data["options"]), f"{number}:", tools)
        found |= entries
        if any(tools.same_storage(leaf, other) for leaf in leaves for other in given):
            raise tools.Fault("result_shares_input")
        if any(tools.same_storage(leaf, other) for leaf in leaves for other in results):
            raise tools.Fault("calls_share_memory")
        if not all(map(tools.same_bits, results, copies)):
            raise tools.Fault("previous_result_changed")
        results += leaves
        copies += [tools.clone(leaf) for leaf in leaves]
        # As training code that works in place does.
        for tensor in given:
            tools.refill(tensor, tensor.clone())
    return found


class Samples(Dataset):
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return built(self.items[index])


def loader(function, data, tools):
    """Collate as a worker of a DataLoader does, by a partial that has travelled through pickle."""
    collate = loads(dumps(partial(function, **data["options"])))
    fetcher = Fetcher(Samples(data["batch"]), True, collate, False)
    found = {}
    for number, start in enumerate(range(0, len(data["batch"]), data["size"])):
        places = range(start, min(start + data["size"], len(data["batch"])))
        found |= describe(fetcher.fetch(list(places)), f"{number}:", tools)[0]
    return found


class Work(TorchDispatchMode):
    """Count the operators, and the bytes that they write."""

    def __init__(self):
        super().__init__()
        self.calls = self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.calls += 1
        if not func.is_view:
            items = result if isinstance(result, (tuple, list)) else (result,)
            tensors = [each for each in items if isinstance(each, Tensor)]
            self.bytes += sum(numel(each) * each.dtype.itemsize for each in tensors)
        return result


def growth(function, data, tools):
    """Count the work for a batch of one field."""
    samples = list(split(data["flat"], data["lengths"]))
    with Work() as work:
        result = function(samples, **data["options"])
    found, leaves = describe(result, "", tools)
    size = sum(numel(each) * each.dtype.itemsize for each in leaves)
    return found | {"calls": work.calls, "written": work.bytes / max(size, 1)}


def refuse(function, data, tools):
    """Collate batches that must be refused."""
    found = {}
    for name, each in data["calls"].items():
        batch = [built(item) for item in each["batch"]]

        def call(batch=batch, each=each):
            function(batch, **each["options"])

        attempted = tools.attempt(call)
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


OPERATIONS = {
    "once": once,
    "alias": alias,
    "loader": loader,
    "growth": growth,
    "refuse": refuse,
}
