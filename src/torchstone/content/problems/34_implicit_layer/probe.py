"""Drive problem 34: maps that log the points they see, cells that count, a solver of the judge.

The oracle acts out the same scenes with a layer that solves both equations exactly.
"""

import math

import torch
from torch import nn

# Captured here, before a submission could replace them.
Tensor, Parameter, Module = torch.Tensor, nn.Parameter, nn.Module
clone, detach, stack, isfinite = Tensor.clone, Tensor.detach, torch.stack, torch.isfinite
backward, is_grad_enabled = torch.autograd.backward, torch.is_grad_enabled
no_grad, enable_grad = torch.no_grad, torch.enable_grad
named_parameters = Module.named_parameters
grad_of = vars(torch._C.TensorBase)["grad"].__get__
needs_grad = vars(torch._C.TensorBase)["requires_grad"].__get__
untyped_storage, data_ptr = Tensor.untyped_storage, torch.UntypedStorage.data_ptr
KINDS = {"identity": lambda z: z, "tanh": torch.tanh, "sin": torch.sin}


class Map:
    """Apply act(M z + c) with a matrix for each sample; log what goes in and what comes out."""

    def __init__(self, spec, like):
        self.spec, self.shape, self.dtype = spec, like.shape, like.dtype
        self.points, self.values = [], []

    def __call__(self, z):
        if z.shape != self.shape or z.dtype != self.dtype:
            raise ValueError(f"f takes {self.dtype} of the shape {tuple(self.shape)}")
        flat = z.flatten(1)[:, :, None]
        value = (self.spec["matrix"] @ flat)[:, :, 0] + self.spec["shift"]
        value = KINDS[self.spec["kind"]](value).reshape(z.shape)
        self.points.append(clone(detach(z)))
        if len(self.points) == self.spec["breaks_at"]:
            value.view(-1)[self.spec["place"]] = self.spec["instead"]
        self.values.append(clone(value))
        return value


class Cell(Module):
    """One step of a layer; it counts its calls, and those with gradients enabled."""

    def __init__(self, spec):
        super().__init__()
        self.kind = spec["kind"]
        for name, value in spec["tensors"].items():
            setattr(self, name, Parameter(clone(value), requires_grad=name not in spec["frozen"]))
        self.calls, self.recorded, self.first = 0, 0, None

    def forward(self, z, x):
        if self.first is None:
            self.first = clone(detach(z))
        self.calls += 1
        self.recorded += is_grad_enabled()
        driven = x.flatten(1) @ self.u + self.b
        if self.kind == "tied":
            # The Jacobian a D a^T is symmetric.
            return (torch.tanh(z.flatten(1) @ self.a + driven) @ self.a.T).reshape(z.shape)
        pre = z.flatten(1) @ (self.p @ self.q.T).T + driven
        return KINDS[self.kind](pre).reshape(z.shape)


def residual_of(z, fz):
    """Return the largest relative residual of the samples."""
    if not len(z):
        return 0.0
    error, size = (fz - z).flatten(1).norm(dim=1), fz.flatten(1).norm(dim=1)
    return float((error / size.clamp(min=1)).max())


class Asked:
    """Solve, and note how it was asked and what it reported."""

    def __init__(self, solve):
        self.solve, self.asked, self.runs = solve, [], False

    def __call__(self, f, z0, *, tol, max_iter):
        if self.runs:
            # A hook that calls itself would go on until the memory ends.
            raise RecursionError("the solver is called while it solves")
        self.runs = True
        try:
            z, info = self.solve(f, z0, tol=tol, max_iter=max_iter)
        finally:
            self.runs = False
        self.asked.append([float(tol), int(max_iter), list(info)])
        return z, info


class Picard:
    """Iterate z = f(z)."""

    def __init__(self, report_type, detour=False):
        self.report_type, self.detour = report_type, detour

    def __call__(self, f, z0, tol, max_iter):
        z, count, residual = z0, 0, math.inf
        if self.detour:
            f(z0 + 7)
            f(z0 - 3)
            count = 2
        while count < max_iter:
            fz = f(z)
            count, residual = count + 1, residual_of(detach(z), detach(fz))
            if not residual > tol or not math.isfinite(residual):
                break
            if count < max_iter:
                z = fz
        return z, self.report_type(residual <= tol, count, residual)


def report(info, kind, tools):
    """Describe a report: its three entries, or what came in its place."""
    if not isinstance(info, kind):
        return tools.plain(None if info is None else f"a {type(info).__name__}")
    return [tools.plain(getattr(info, name)) for name in NAMES]


NAMES = ("converged", "num_iterations", "residual")


def watched(tensors, act, tools):
    """Act, and demand that the tensors and the state of torch are what they were."""
    before = [tools.storage_snapshot(each) for each in tensors]
    state = tools.global_state()
    result = act()
    tools.same_state(state)
    if any(tools.storage_changed(t, b) for t, b in zip(tensors, before, strict=True)):
        raise tools.Fault("call_mutated")
    return result


# --- the solver -----------------------------------------------------------------------------------


def solve(submission, data, tools):
    """Call ``anderson`` for each run, one after the other, or one inside another."""
    found = {}
    for number, run in enumerate(data["runs"]):
        f, z0 = Map(run["map"], run["z0"]), run["z0"]
        given = Nested(submission, f, data["inner"]) if data["inner"] is not None else f
        result = watched(
            [z0, *[v for v in run["map"].values() if isinstance(v, Tensor)]],
            lambda given=given, z0=z0, run=run: submission.anderson(given, z0, **run["options"]),
            tools,
        )
        z, info = result
        if not tools.is_plain(z):
            raise tools.Fault("result_type", type=type(z).__name__)
        empty = z0.new_zeros(0, *z0.shape)
        found[f"{number}.z"] = tools.sendable(z)
        found[f"{number}.solve"] = {
            "z": tools.sendable(z),
            "info": report(info, submission.SolveInfo, tools),
            "points": stack(f.points) if f.points else empty,
            "values": stack(f.values) if f.values else empty,
        }
    return found


class Nested:
    """Solve another equation whenever the map is called."""

    def __init__(self, submission, f, inner):
        self.submission, self.f, self.inner = submission, f, inner

    def __call__(self, z):
        value = self.f(z)
        self.submission.anderson(Map(self.inner["map"], self.inner["z0"]), self.inner["z0"])
        return value


# --- the layer ------------------------------------------------------------------------------------


class Scene:
    """Hold a layer over a cell of the judge, its inputs, and what came of it."""

    def __init__(self, own, data, tools):
        self.cell, self.data, self.tools = Cell(data["cell"]), data, tools
        self.report_type = own.SolveInfo
        self.solver = None
        options = dict(data["options"])
        if data["solver"] != "default":
            picard = Picard(own.SolveInfo, detour=data["solver"] == "detour")
            self.solver = Asked(own.anderson if data["solver"] == "own" else picard)
            options["solver"] = self.solver
        self.layer = own.DEQ(self.cell, **options)
        self.x = clone(data["x"])
        self.x.requires_grad_(data["x_needs_grad"])
        self.z0 = None if data["z0"] is None else clone(data["z0"]).requires_grad_()
        self.found, self.phases = {}, []
        self.parameters = {name: value for name, value in named_parameters(self.cell)}

    def given(self):
        tensors = [self.x, *self.parameters.values(), *self.data["cotangents"]]
        return tensors + ([] if self.z0 is None else [self.z0])

    def call(self, name, x, *rest):
        """Call the layer; note the result and the report."""
        self.cell.first = None
        y = watched(self.given(), lambda: self.layer(x, *rest), self.tools)
        if self.cell.first is not None:
            self.found[f"first point of {name}"] = self.cell.first
        if not self.tools.is_plain(y):
            raise self.tools.Fault("result_type", type=type(y).__name__)
        self.found[name] = self.tools.sendable(y)
        self.note("forward")
        return y

    def note(self, phase):
        """Note reports, calls of the cell, and how the solver was asked, up to now."""
        self.phases.append(
            {
                "phase": phase,
                "calls": self.cell.calls,
                "recorded": self.cell.recorded,
                "asked": [] if self.solver is None else list(self.solver.asked),
                "forward": report(self.layer.last_info, self.report_type, self.tools),
                "adjoint": report(self.layer.last_backward_info, self.report_type, self.tools),
            }
        )

    def differentiate(self, name, *results, **options):
        """Run backward with the drawn cotangents, and note the gradients so far."""
        ready = [r for r in results if needs_grad(r)]
        if ready:
            cotangents = self.data["cotangents"][: len(ready)]
            watched(
                self.given(),
                lambda: backward(ready, [clone(g) for g in cotangents], **options),
                self.tools,
            )
        self.found[f"{name}.x"] = self.gradient(self.x)
        for key, value in self.parameters.items():
            self.found[f"{name}.{key}"] = self.gradient(value)
        if self.z0 is not None:
            self.found["grad of z0"] = self.gradient(self.z0)
        self.note("backward")

    def gradient(self, leaf):
        gradient = grad_of(leaf)
        return None if gradient is None else self.tools.sendable(gradient)


def once(scene):
    """Call and differentiate once."""
    rest = () if scene.z0 is None else (scene.z0,)
    scene.differentiate("grad", scene.call("y", scene.x, *rest))
    own = {id(p) for p in scene.layer.parameters()}
    scene.found["registered"] = all(id(p) in own for p in scene.parameters.values())


def chained(scene):
    """Use one layer twice, the second time on what came of the first."""
    y = scene.call("y", scene.x)
    scene.differentiate("grad", scene.call("y2", y * 0.5 + scene.x.sin()))


def side_by_side(scene):
    """Use one layer for two inputs; differentiate the first result last."""
    y = scene.call("y", scene.x)
    y2 = scene.call("y2", scene.x.cos())
    scene.differentiate("grad", y2)
    scene.differentiate("both", y)


def retained(scene):
    """Run backward twice through one graph; gradients add up."""
    y = scene.call("y", scene.x * 2)
    scene.differentiate("grad", y, retain_graph=True)
    scene.differentiate("both", y)


def forward_only(scene):
    """Call without a backward."""
    scene.call("y", scene.x)


def without_grad(scene):
    """Call under no_grad."""
    with no_grad():
        y = scene.call("y", scene.x)
    scene.found["needs"] = needs_grad(y)


SCENES = {
    each.__name__: each
    for each in (once, chained, side_by_side, retained, forward_only, without_grad)
}


def layer(own, data, tools):
    """Act out one scene with a layer; ``own`` has the class of reports and the solver, too."""
    scene = Scene(own, data, tools)
    before = (scene.layer.last_info, scene.layer.last_backward_info)
    scene.found["first reports"] = [tools.plain(each) for each in before]
    SCENES[data["scene"]](scene)
    return scene.found | {"phases": scene.phases}


# --- memory ---------------------------------------------------------------------------------------


def memory(submission, data, tools):
    """Measure what is saved and alive after forward, for each number of iterations."""
    found, results = [], []
    known = tools.living_storages()
    for max_iter in data["max_iters"]:
        cell = Cell(data["cell"])
        made = submission.DEQ(cell, tol=0.0, max_iter=max_iter)
        x = clone(data["x"]).requires_grad_()
        saved, keep = tools.keeper()
        with tools.saved_tensors_hooks(keep, tools.unpack):
            results.append(made(x))
        given = [x, cell.first, *cell.parameters()]
        kept = tools.kept_since(known, [*results, *given])
        known |= {storage_of(each) for each in [*kept, *given]}
        found.append(tools.unique_bytes([*saved, *kept], results[-1:], given))
    return {"kept": found}


def storage_of(tensor):
    """Return the address of a storage."""
    return data_ptr(untyped_storage(tensor))


def forward_alone(submission, data, tools):
    """Call a layer on a large batch, in a process whose peak memory the host measures."""
    cell = Cell(data["cell"])
    solver = Asked(Picard(submission.SolveInfo))
    made = submission.DEQ(cell, solver=solver, tol=0.0, max_iter=data["max_iter"])
    x = data["tile"].repeat(data["repeats"], 1).requires_grad_()
    y = made(x)
    calls = cell.calls
    backward(y[: len(data["tile"])].sum())
    return {
        "y": tools.sendable(y[: len(data["tile"])]),
        "grad": tools.sendable(grad_of(x)[: len(data["tile"])]),
        "enough": calls >= data["max_iter"],
    }


RUNS = {"solve": solve, "layer": layer, "memory": memory, "alone": forward_alone}


def probe(submission, op, data, tools):
    """Answer one request."""
    with enable_grad():  # whatever a program left behind that ran in this process before
        return RUNS[op](submission, data, tools)
