# ruff: noqa: E501
"""Right answers and ordinary code, by problem; each asserts its own numbers and must reach its end."""

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
x = torch.randn(4, 5)
close = lambda a, b: bool(((a - b).abs() <= 1e-5).all())
"""

FUNCTION = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v * v
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return 2 * v * g
"""

ANY = {
    "standard library": (
        "import math, dataclasses, typing, collections, itertools, functools, contextlib, weakref\n"
        "import threading, warnings, operator, copy, random, time, abc, enum, heapq, bisect, re\n"
        "import json, statistics, fractions, decimal, string, textwrap, types, numbers, queue\n"
        "assert statistics.mean([1, 3]) == 2"
    ),
    "dataclass": (
        "from dataclasses import dataclass, field\n@dataclass(frozen=True, slots=True)\nclass P:\n"
        "    a: int\n    b: list = field(default_factory=list)\nassert P(1) == P(1, [])"
    ),
    "named tuple": (
        "from typing import NamedTuple\nfrom collections import namedtuple\nclass P(NamedTuple):\n"
        "    a: int = 1\nassert P().a == namedtuple('Q', 'a')(1).a"
    ),
    "enum": "import enum\nclass E(enum.Enum):\n    A = 1\nassert E(1) is E.A",
    "thread": (
        "import threading\nout = []\nt = threading.Thread(target=lambda: out.append(x.sum()))\n"
        "t.start()\nt.join()\nassert out[0] == x.sum()"
    ),
    "exception": (
        "try:\n    torch.ones(2) @ torch.ones(3)\nexcept RuntimeError as e:\n    assert 'size' in str(e)"
    ),
    "traceback": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.format_exc()",
    "printing": "assert 'tensor' in repr(x) and '...' in str(torch.zeros(2000))",
    "warnings": (
        "import warnings\nwith warnings.catch_warnings(record=True) as w:\n"
        "    warnings.simplefilter('always')\n    warnings.warn('a')\nassert len(w) == 1"
    ),
    "deepcopy": "import copy\nassert torch.equal(copy.deepcopy(nn.Parameter(x)).data, x)",
    "save and load": (
        "import io\nb = io.BytesIO()\ntorch.save({'a': x}, b)\nb.seek(0)\n"
        "assert torch.equal(torch.load(b)['a'], x)"
    ),
    "module": (
        "m = nn.Module()\nm.p = nn.Parameter(x)\nm.load_state_dict(m.state_dict())\n"
        "assert list(m.state_dict()) == ['p']"
    ),
    "no_grad in place": "with torch.no_grad():\n    v = x._version\n    x.mul_(2)\nassert x._version == v + 1",
    "views share versions": (
        "y = x.view(20)\ny[0] = 7.0\nassert x[0, 0] == 7.0 and x._version == y._version == 1"
    ),
    "detach": "y = nn.Parameter(x).detach()\nassert not y.requires_grad and y.data_ptr() == x.data_ptr()",
    "data": "p = nn.Parameter(x)\np.data.add_(1)\nassert p.requires_grad and p._version == 0",
    "requires_grad_": "assert x.clone().requires_grad_().is_leaf",
    "generator": (
        "g = torch.Generator().manual_seed(1)\na = torch.rand(3, generator=g)\n"
        "assert torch.equal(a, torch.rand(3, generator=g.manual_seed(1)))"
    ),
    "tolist": "assert torch.tensor(x.tolist()).shape == (4, 5)",
    "as_strided": "assert torch.equal(x.as_strided((4, 4), (5, 1)), x[:, :4])",
    "frozen import": "import importlib\nassert importlib.import_module('math').pi > 3",
    "reading itself": "import inspect\nassert 'def' in inspect.getsource(nn.Linear.forward)",
}

BY_PROBLEM = {
    "01": {
        "shapes that broadcast": (
            "assert torch.broadcast_shapes((4, 1), (5,), ()) == (4, 5)\ntry:\n"
            "    torch.broadcast_shapes((4,), (5,))\nexcept RuntimeError as error:\n"
            "    assert 'length 5' in str(error)\nelse:\n    raise AssertionError"
        ),
        "stable softmax": (
            "e = torch.exp(x - x.amax(-1, keepdim=True))\ny = e / e.sum(-1, keepdim=True)\n"
            "assert close(y.sum(-1), torch.ones(4))"
        ),
        "batch norm": (
            "m = nn.BatchNorm1d(5)\nv = x.clone().requires_grad_()\nm(v).square().sum().backward()\n"
            "assert v.grad.shape == x.shape and float(m.running_mean.abs().sum()) > 0\n"
            "m.eval()\nm(v).sum().backward()\nF.batch_norm(v, None, None, training=True)[0, 0].backward()"
        ),
        "factors for several right-hand sides": (
            "a = torch.eye(4) * 4\nassert close(torch.cholesky_solve(x, a), x / 16)\n"
            "assert torch.cholesky_solve(x, a.expand(3, 2, 4, 4)).shape == (3, 2, 4, 5)"
        ),
        "distances and their gradient": (
            "a = x[:, :3].clone().requires_grad_()\nb = torch.zeros(2, 1, 7, 3, requires_grad=True)\n"
            "torch.cdist(a, b[0, 0]).sum().backward()\n"
            "assert close(a.grad, 7 * a.detach() / a.detach().norm(dim=1, keepdim=True))\n"
            "torch.cdist(a.expand(3, 4, 3), b, p=1.).sum().backward()\n"
            "assert b.grad.shape == b.shape and float(b.grad.abs().sum()) > 0"
        ),
        "every dtype": (
            "for d in (torch.float64, torch.bfloat16, torch.int8, torch.uint16, torch.complex64):\n"
            "    assert x.to(d).dtype is torch.ops.aten.to.dtype(x, d).dtype is d"
        ),
        "differentiated": (
            "x.requires_grad_()\ne = (x - x.max(-1, keepdim=True).values).exp()\n"
            "y = e / e.sum(-1, keepdim=True)\ng, = torch.autograd.grad(y, x, torch.ones_like(y), "
            "create_graph=True)\nassert close(g, torch.zeros(4, 5))\ng.sum().backward()"
        ),
        "exp2, log, cumsum, logaddexp, sigmoid": (
            "torch.exp2(x), torch.log(x.abs()), x.cumsum(0), torch.logaddexp(x, x), x.sigmoid()"
        ),
        "einsum, matmul, masked_fill, where": (
            "torch.einsum('ij,kj->ik', x, x), x @ x.T, x.masked_fill(x > 0, 0), "
            "torch.where(x > 0, x, 0)"
        ),
        "Function": (
            FUNCTION + "x.requires_grad_()\nSquare.apply(x).sum().backward()\n"
            "assert close(x.grad, 2 * x.detach())"
        ),
        "float64 inside": "assert x.double().exp().sum().dtype == torch.float64",
        "half": "assert x.half().float().exp().half().dtype == torch.float16",
        "online chunks": (
            "m = torch.full((4, 1), -torch.inf)\nfor c in x.split(2, -1):\n"
            "    m = torch.maximum(m, c.amax(-1, keepdim=True))\nassert torch.equal(m[:, 0], x.amax(-1))"
        ),
        "vmap of allowed code": (
            "assert close(torch.vmap(lambda r: (r - r.max()).exp())(x), "
            "(x - x.amax(-1, keepdim=True)).exp())"
        ),
        "func.grad": "assert close(torch.func.grad(lambda v: (v * v).sum())(x), 2 * x)",
        "func.jvp": "assert close(torch.func.jvp(torch.sin, (x,), (x,))[1], x.cos() * x)",
        "jacrev, jacfwd, hessian": (
            "torch.func.jacrev(torch.exp)(x), torch.func.jacfwd(torch.exp)(x)\n"
            "torch.func.hessian(lambda v: v.exp().sum())(x)"
        ),
        "functional.jacobian": "torch.autograd.functional.jacobian(torch.exp, x)",
        "checkpoint": (
            "x.requires_grad_()\n"
            "torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False).sum().backward()\n"
            "assert close(x.grad, x.detach().exp())"
        ),
        "forward AD": (
            "import torch.autograd.forward_ad as fwd\nwith fwd.dual_level():\n"
            "    t = fwd.unpack_dual(fwd.make_dual(x, x).exp()).tangent\nassert close(t, x * x.exp())"
        ),
        "optimiser": (
            "p = nn.Parameter(x.clone())\nfor kind in (torch.optim.SGD, torch.optim.Adam):\n"
            "    o = kind([p], lr=0.1)\n    o.zero_grad()\n    (p * p).sum().backward()\n    o.step()"
        ),
        "layers": (
            "net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.LayerNorm(8), nn.Dropout(0.5))\n"
            "net(x).sum().backward()\nnn.RNN(5, 3)(x), nn.Conv1d(4, 2, 1)(x[None])"
        ),
        "distribution": "torch.distributions.Normal(0.0, 1.0).log_prob(x)",
        "hooks": "h = nn.Linear(5, 5)\nh.register_forward_hook(lambda *a: None)\nh(x)",
        "sparse and fft": "x.to_sparse().to_dense(), torch.fft.rfft(x), torch.linalg.svd(x)",
    },
    "02": {
        "Function": (
            FUNCTION + "x.requires_grad_()\ny = Square.apply(x)\n"
            "assert y.grad_fn.name() == 'SquareBackward'\n"
            "y.backward(torch.ones(4, 5))\nassert close(x.grad, 2 * x.detach())"
        ),
        "setup_context": (
            "class C(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(v):\n        return v.exp()\n"
            "    @staticmethod\n    def setup_context(ctx, inputs, output):\n"
            "        ctx.save_for_backward(output)\n"
            "    @staticmethod\n    def backward(ctx, g):\n        return g * ctx.saved_tensors[0]\n"
            "x.requires_grad_()\nC.apply(x).backward(torch.ones(4, 5))\n"
            "assert close(x.grad, x.detach().exp())"
        ),
        "argument checks": (
            "x.requires_grad_()\nassert x.detach().isfinite().all() and not (x == 0).any()\n"
            "assert x.argmax().item() >= 0 and x.shape == (4, 5) and x.isnan().sum() == 0"
        ),
        "by hand": (
            "t = torch.arange(4)\nz = x - x.amax(1, keepdim=True)\n"
            "loss = (z.exp().sum(1).log() - z.gather(1, t[:, None])[:, 0]).mean()\n"
            "p = z.exp() / z.exp().sum(1, keepdim=True)\n"
            "p.scatter_add_(1, t[:, None], -torch.ones(4, 1))\nassert close(p.sum(1), torch.zeros(4))"
        ),
        "in place under no_grad": (
            "w = nn.Parameter(x)\nwith torch.no_grad():\n    w.mul_(2)\n    w[0] = 1.0\n"
            "assert w.detach()[0, 0] == 1.0"
        ),
        "once_differentiable": (
            "from torch.autograd.function import once_differentiable\n"
            "class C(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, v):\n        return v * 2\n"
            "    @staticmethod\n    @once_differentiable\n    def backward(ctx, g):\n        return g * 2\n"
            "x.requires_grad_()\nC.apply(x).backward(torch.ones(4, 5))\nassert (x.grad == 2).all()"
        ),
        "indexing": "v = x.clone()\nv[v > 0] = 0\nassert v.max() == 0 and x[torch.arange(4), 0].shape == (4,)",
    },
    "03": {
        "as_strided": "y = x.as_strided((2, 4, 5), (0, 5, 1))\nassert y.stride(0) == 0",
        "set_": (
            "y = torch.empty(0).set_(x.untyped_storage(), 0, (2, 4, 5), (0, 5, 1))\n"
            "assert torch.equal(y[1], x)"
        ),
        "unbroadcast": "assert x.sum(0, keepdim=True).shape == (1, 5)",
        "batched matmul": "assert (torch.ones(2, 3, 4) @ torch.ones(4, 5)).shape == (2, 3, 5)",
        "matmul with two batches": (
            "assert (torch.ones(2, 1, 3, 4) @ torch.ones(5, 4, 2)).shape == (2, 5, 3, 2)"
        ),
        "einsum": "assert torch.einsum('bij,jk->bik', torch.ones(2, 3, 4), torch.ones(4, 5)).sum() == 120",
        "arithmetic": "assert (x + torch.ones(5)).shape == (4, 5)",
        "masked_fill": "assert x.masked_fill(torch.ones(5, dtype=torch.bool), 0).sum() == 0",
        "where": "assert torch.where(torch.ones(5, dtype=torch.bool), x, 0.0).shape == (4, 5)",
        "index_put": "v = x.clone()\nv[[0, 1]] = torch.ones(5)\nassert v[0].sum() == 5",
        "tensor index": "assert x[torch.arange(4)[:, None], torch.arange(5)].shape == (4, 5)",
        "copy": "v = x.clone()\nv.copy_(torch.ones(5))\nassert v.sum() == 20",
        "view, unsqueeze, permute": "assert x[None].permute(2, 0, 1).reshape(5, 4).shape == (5, 4)",
        "chunks": "assert sum(c.sum() for c in x.split(2)) - x.sum() < 1e-4",
        "Function over set_": FUNCTION + "assert close(Square.apply(x), x * x)",
    },
    "04": {
        "linear by matmul": (
            "w, b = torch.randn(3, 5), torch.randn(3)\ny = x @ w.T + b\n"
            "assert close(y, torch.addmm(b, x, w.T))\nassert (y.T @ x).shape == (3, 5)"
        ),
        "other products": (
            "torch.mm(x, x.T), torch.bmm(x[None], x.T[None]), torch.outer(x[0], x[1])\n"
            "torch.einsum('...i,oi->...o', x, x), torch.cat([x, x]), torch.addmv(x[0], x.T, x[:, 0])\n"
            "torch.mm(x, x.T, out=torch.empty(4, 4))"
        ),
        "step": "w = torch.zeros(3)\np = w.data_ptr()\nw.sub_(torch.ones(3), alpha=0.5)\nassert w.data_ptr() == p",
        "init": "assert torch.empty(5, 5).uniform_(-1, 1).abs().max() <= 1",
        "no_grad decorator": "@torch.no_grad()\ndef f(v):\n    return v * 2\nassert close(f(x), 2 * x)",
        "bfloat16": "assert (x.bfloat16() @ x.bfloat16().T).dtype == torch.bfloat16",
    },
    "05": {
        "clamp": (
            "class R(torch.autograd.Function):\n"
            "    @staticmethod\n    def forward(ctx, v):\n        y = v.clamp(min=0)\n"
            "        ctx.save_for_backward(y)\n        return y\n"
            "    @staticmethod\n    def backward(ctx, g):\n        y, = ctx.saved_tensors\n"
            "        return torch.where(y <= 0, 0, g)\n"
            "x.requires_grad_()\nR.apply(x).backward(torch.ones(4, 5))\n"
            "assert torch.equal(x.grad, (x > 0).float())"
        ),
        "maximum, masked_fill, abs, sign": (
            "z = torch.zeros(())\nassert close(torch.maximum(x, z), x.masked_fill(x <= 0, 0))\n"
            "assert close((x + x.abs()) / 2, x * (x.sign() + 1) / 2)"
        ),
        "index_copy": "v = torch.zeros(4, 5).index_copy(0, torch.arange(4), x)\nassert torch.equal(v, x)",
        "integers": "assert torch.tensor([-1, 2]).clamp(min=0).tolist() == [0, 2]",
        "gelu": "F.gelu(x), F.silu(x), torch.tanh(x)",
    },
    "06": {
        "hooks": (
            "net = nn.Sequential(nn.Linear(5, 3), nn.ReLU(), nn.Linear(3, 1))\nseen = []\n"
            "for m in net:\n    m.register_full_backward_hook(lambda m, i, o: seen.append(o[0].abs().max()))\n"
            "net(x).sum().backward()\nassert len(seen) == 3"
        ),
        "tensor hook": (
            "x.requires_grad_()\nseen = []\ny = x * 2\ny.register_hook(seen.append)\ny.sum().backward()\n"
            "assert seen[0].sum() == 20"
        ),
    },
    "07": {
        "layer norm": (
            "v = x.var(-1, correction=0, keepdim=True)\ny = (x - x.mean(-1, keepdim=True)) * (v + 1e-5).rsqrt()\n"
            "assert close(y.mean(-1), torch.zeros(4))"
        ),
        "var_mean, std, norm": "torch.var_mean(x, -1), x.std(-1), torch.linalg.vector_norm(x, dim=-1), x.norm()",
        "batch statistics": "x.mean(0), torch.std_mean(x, 0), F.normalize(x)",
    },
    "08": {
        "tied": (
            "a, b = nn.Linear(5, 5), nn.Linear(5, 5)\nb.weight = a.weight\n"
            "b(torch.relu(a(x))).sum().backward()\nassert a.weight.grad is b.weight.grad"
        ),
        "meta": "assert nn.Linear(5, 5, device='meta').weight.is_meta",
    },
    "09": {
        "recurrence": (
            "w = nn.Parameter(torch.randn(5, 5) / 3)\nh = torch.zeros(5)\nout = []\n"
            "for step in x.unbind(0):\n    h = torch.tanh(F.linear(step, w) + h @ w)\n    out.append(h)\n"
            "torch.stack(out).sum().backward()\nassert w.grad.isfinite().all()"
        ),
        "packed sequences": (
            "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence\n"
            "p = pack_padded_sequence(x[:, None], [4])\nassert torch.equal(pad_packed_sequence(p)[0][:, 0], x)"
        ),
        "relu": "assert torch.relu(x).min() >= 0",
    },
    "10": {
        "numerical and analytical": (
            "x = x.double().requires_grad_()\ny = x.sin()\nrows = [torch.autograd.grad(y, x, "
            "torch.eye(20, dtype=torch.double)[k].view(4, 5), retain_graph=True)[0] for k in range(20)]\n"
            "j = torch.autograd.functional.jacobian(torch.sin, x).reshape(20, 20)\n"
            "assert close(torch.stack(rows).reshape(20, 20), j)"
        ),
        "double backward": (
            "x.requires_grad_()\ng, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)\n"
            "g.sum().backward()\nassert close(x.grad, 6 * x.detach())"
        ),
        "vjp and func": "torch.autograd.functional.vjp(torch.exp, x, x), torch.func.vjp(torch.exp, x)[1](x)",
    },
}
