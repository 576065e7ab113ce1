"""A process like a zygote parent that forks one template for each row, and a child for each cell.

Usage: python process.py CHILD_FOLDER LIBRARY SAMPLES

One line of JSON comes in for each row: its name, its bans, its cells. One goes out for each cell.
"""

import json
import os
import pickle
import signal
import sys
import traceback
from pathlib import Path

from tests.judge.native.matrix import sample as calls

NODES = ("recorded node", "node called")
ENDED, NOT_REACHED, RAISED = 0, 4, 3


class Given:
    """What an attack uses; the submission sees it as it would see its own data."""

    def __init__(self, sample, torch, records):
        self.sample = sample
        self.call = sample.call
        self.base = sample.name.partition(".")[0]
        self.tensors = sample.tensors
        if sample.layout != "CPU":
            self.tensors = [calls.LAYOUTS[sample.layout](each) for each in sample.tensors]
        self.owned = None
        self.leaf, self.grad = torch.ones(4, 4), torch.ones(4, 4)
        self.batched, self.metas = [torch.ones(2, 4)], []
        if sample.tensors and sample.layout == "CPU":
            self.batched = [torch.stack([each, each]) for each in sample.tensors]
            self.metas = [torch.empty_like(each, device="meta") for each in sample.tensors]
        if records:
            for each in (*self.tensors, *self.batched, *self.metas):
                each.requires_grad_(each.is_floating_point())
        self.node = self.node_grad = None

    def arguments(self, tensors):
        """Return the arguments of the call, with other tensors in it."""
        return calls.arguments_of(self.sample, tensors)


class Row:
    """The template of one row: its bans are imposed, and its children attack."""

    def __init__(self, bans, request, routes, code):
        import torch

        self.bans, self.request, self.code = bans, request, code
        self.given = {
            (route, number): Given(sample, torch, request["records"])
            for route, kept in routes.items()
            for number, sample in enumerate(kept)
            if (route, number) in {(cell["route"], cell["sample"]) for cell in request["cells"]}
        }
        for (route, _), given in self.given.items():
            if route in NODES:
                args, kwargs = given.arguments(given.tensors)
                given.node_grad = torch.ones_like(given.call(*args, **kwargs))
        self.bans.impose(**request["deny"])

    def attack(self, cell, report):
        """Attack in this process, which ends."""
        import torch

        given, bans = self.given[cell["route"], cell["sample"]], self.bans
        route, state = cell["route"], cell["state"]
        scope = {"__builtins__": bans.arm(report), "__name__": "submission"}
        bans.seal()
        records = self.request["records"]

        def load():
            exec(self.code, scope)
            if state == "finaliser in an operator":
                given.owned = torch.frombuffer(scope["Owner"](64), dtype=torch.float32)
            if route in NODES:
                scope["record"](given)
            if state == "import time":
                scope["run"](route, state, given, records)

        bans.load(load, bare=self.request["bare"])
        if state != "import time":
            scope["run"](route, state, given, records)
        return ENDED if scope["ENDED"] else NOT_REACHED


def _child(row, cell, report, output):
    signal.alarm(20)
    os.dup2(output, 1)
    os.dup2(output, 2)
    status = RAISED
    try:
        status = row.attack(cell, report)
    except BaseException:  # noqa: BLE001  whatever it raises is its result
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _drain(fd):
    parts = []
    while part := os.read(fd, 65536):
        parts.append(part)
    os.close(fd)
    return b"".join(parts).decode(errors="replace")


def _run(row, cell):
    report_r, report_w = os.pipe()
    output_r, output_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(row, cell, report_w, output_w)
    os.close(report_w)
    os.close(output_w)
    lines = [json.loads(line) for line in _drain(report_r).splitlines()]
    output = _drain(output_r)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"cell": cell, "status": status, "report": lines, "output": output[-2000:]}


def main():
    """Serve rows until stdin closes."""
    sys.path.insert(0, sys.argv[1])
    from child.zygote import preloading

    preloading.import_torch()
    from child.bans import bans

    bans.install(sys.argv[2])
    bans.prepare()

    with open(sys.argv[3], "rb") as file:
        made = pickle.load(file)
    text = Path(__file__).with_name("submitted.py").read_text(encoding="utf-8")
    code = compile(text, "<submission>", "exec", dont_inherit=True)
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            row = Row(bans, request, made["samples"][request["family"]], code)
            for cell in request["cells"]:
                print(json.dumps(_run(row, cell)), flush=True)  # noqa: T201
            os._exit(0)
        os.waitpid(pid, 0)
        print(json.dumps({"done": request["family"]}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
