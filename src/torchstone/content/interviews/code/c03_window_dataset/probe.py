"""Ask a dataset for its windows, as a loop, a sampler and a worker do."""

import builtins
import io
import itertools
import operator
import pickle

import torch

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

Dataset, Tensor = torch.utils.data.Dataset, torch.Tensor
islice, negate, BytesIO = itertools.islice, operator.neg, io.BytesIO
add = Tensor.add


class Counted:
    """A transform that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, window):
        self.calls += 1
        return add(window, 1)


class Sender(pickle.Pickler):
    """Pickles all but tensors, which go to a worker by shared memory."""

    def __init__(self, file):
        super().__init__(file)
        self.tensors = []

    def persistent_id(self, obj):
        if not isinstance(obj, Tensor):
            return None
        self.tensors.append(obj)
        return len(self.tensors) - 1


class Receiver(pickle.Unpickler):
    """Takes the tensors from their sender."""

    def __init__(self, file, tensors):
        super().__init__(file)
        self.tensors = tensors

    def persistent_load(self, pid):
        return self.tensors[pid]


def travel(item):
    """Send an object as a DataLoader sends it to a worker."""
    file = BytesIO()
    sender = Sender(file)
    sender.dump(item)
    file.seek(0)
    return Receiver(file, sender.tensors).load()


def probe(submission, op, data, tools):
    """Answer one request."""
    return {"windows": windows, "refused": refused}[op](submission.WindowDataset, data, tools)


def windows(kind, data, tools):
    """Make a dataset and ask for some of its items."""
    series = data["series"]
    before = tools.storage_snapshot(series)
    state = tools.global_state()
    counted = Counted()
    transform = {"none": None, "counted": counted, "negate": negate}[data["transform"]]
    dataset = kind(
        series, data["length"], data["stride"], *([] if transform is None else [transform])
    )
    count = len(dataset)
    found = {"len": tools.plain(count), "dataset": isinstance(dataset, Dataset)}
    found["calls after making"] = counted.calls
    for index in data["indices"]:
        attempted = tools.attempt(lambda index=index: dataset[index])
        if "raised" in attempted:
            found[f"{index}.raised"] = attempted["raised"]
        else:
            found[f"item {index}"] = tools.plain(attempted["value"])
    found["calls"] = counted.calls
    if data["whole"]:
        # A loop that does not stop is cut off.
        looped = list(islice(iter(dataset), data["most"]))
        found["items of a loop"] = len(looped)
        found |= {f"loop {number}": tools.plain(item) for number, item in enumerate(looped[:5])}
        found["calls in a loop"] = counted.calls - found["calls"]
    if data["transform"] != "counted":
        travelled = travel(dataset)
        found["len after pickle"] = tools.plain(len(travelled))
        found["last after pickle"] = tools.plain(travelled[-1]) if count else None
    tools.same_state(state)
    if tools.storage_changed(series, before):
        raise tools.Fault("call_mutated")
    return found


def refused(kind, data, tools):
    """Make datasets that must be refused."""
    found = {}
    for length, stride in data["sizes"]:
        attempted = tools.attempt(lambda size=(length, stride): kind(data["series"], *size))
        if "raised" in attempted:
            found[f"{length},{stride}.raised"] = attempted["raised"]
    return found
