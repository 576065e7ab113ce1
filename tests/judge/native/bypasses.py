# ruff: noqa: E501
"""Ways round the bans, by problem: name -> (source, what the report must name)."""

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
x = torch.randn(4, 4)
ids = torch.arange(4)
"""

SOFTMAX = {
    "functional": ("F.softmax(x, -1)", "softmax"),
    "module": ("nn.Softmax(-1)(x)", "softmax"),
    "method": ("x.softmax(-1)", "softmax"),
    "torch function": ("torch.softmax(x, -1)", "softmax"),
    "getattr": ("getattr(torch, 'soft' + 'max')(x, -1)", "softmax"),
    "special": ("torch.special.softmax(x, -1)", "softmax"),
    "out=": ("torch.softmax(x, -1, out=torch.empty(4, 4))", "softmax"),
    "overload packet": ("torch.ops.aten._softmax(x, -1, False)", "aten::_softmax"),
    "overload": ("torch.ops.aten._softmax.default(x, -1, False)", "aten::_softmax"),
    "out overload": (
        "torch.ops.aten._softmax.out(x, -1, False, out=torch.empty(4, 4))",
        "aten::_softmax.out",
    ),
    "safe softmax": ("torch._safe_softmax(x, -1)", "_safe_softmax"),
    "masked softmax": ("torch._masked_softmax(x, x > 9, 1)", "_masked_softmax"),
    "masked module": ("torch.masked.softmax(x, -1)", "torch.masked"),
    "log_softmax": ("F.log_softmax(x, -1).exp()", "log_softmax"),
    "softmin": ("F.softmin(-x, -1)", "softmax"),
    "gumbel": ("F.gumbel_softmax(x)", "softmax"),
    "softmax2d": ("nn.Softmax2d()(x[None])", "softmax"),
    "logsumexp": ("torch.exp(x - x.logsumexp(-1, keepdim=True))", "logsumexp"),
    "logsumexp out=": ("torch.logsumexp(x, -1, out=torch.empty(4))", "logsumexp"),
    "logcumsumexp": ("x.logcumsumexp(-1)", "logcumsumexp"),
    "sparse": ("torch.sparse.softmax(x.to_sparse(), 1)", "softmax"),
    "mkldnn": ("x.to_mkldnn().softmax(-1).to_dense()", "softmax"),
    "nested": ("torch.nested.nested_tensor([x, x]).softmax(-1)", "softmax"),
    "attention": ("F.scaled_dot_product_attention(x[None], x[None], x[None])", "attention"),
    "multi-head attention": ("nn.MultiheadAttention(4, 2)(x[None], x[None], x[None])", "softmax"),
    "fast path attention": (
        "m = nn.MultiheadAttention(4, 2, batch_first=True).eval()\n"
        "with torch.inference_mode():\n    m(x[None], x[None], x[None])",
        "softmax",
    ),
    "cross entropy": ("F.cross_entropy(x, ids)", "cross_entropy"),
    "backward data": ("torch._softmax_backward_data(x, x, -1, x.dtype)", "softmax_backward"),
    "categorical": ("torch.distributions.Categorical(logits=x).probs", "logsumexp"),
    "adaptive": ("nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]).log_prob(x)", "log_softmax"),
    "refs": ("torch._refs.softmax(x, -1)", "torch._refs"),
    "refs special": ("torch._refs.special.softmax(x, -1)", "torch._refs"),
    "refs nn": ("torch._refs.nn.functional.softmax(x, -1)", "torch._refs"),
    "decomposition table": (
        "torch._decomp.decomposition_table[torch.ops.aten._softmax.default](x, -1, False)",
        "torch._decomp",
    ),
    "decomposition through sys.modules": (
        "import sys\nsys.modules['torch._decomp.decompositions']._softmax(x, -1, False)",
        "torch._decomp",
    ),
    "decompose()": ("torch.ops.aten.softmax.int.decompose(x, -1)", "softmax"),
    "by dispatch key": (
        "torch.ops.aten._softmax.default._op_dk(torch._C.DispatchKey.CPU, x, -1, False)",
        "aten::_softmax",
    ),
    "by alias key": (
        "k = torch._C.DispatchKey.CompositeImplicitAutograd\n"
        "torch.ops.aten.softmax.int._op_dk(k, x, -1)",
        "aten::softmax",
    ),
    "redispatch": (
        "s = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)\n"
        "torch.ops.aten._softmax.default.redispatch(s, x, -1, False)",
        "aten::_softmax",
    ),
    "computed kernel": (
        "torch._C._dispatch_get_computed_kernel_for_dispatch_key('aten::_softmax', 'CPU')",
        "kernel",
    ),
    "get_kernel": ("torch.library.get_kernel('aten::_softmax', 'CPU')", "get_kernel"),
    "prims": ("torch.ops.prims.exp(x)", "torch._prims"),
    "swallowed": (
        "try:\n    torch.softmax(x, -1)\nexcept BaseException:\n    pass\nfinally:\n    print('on')",
        "softmax",
    ),
    "suppressed": (
        "import contextlib\nwith contextlib.suppress(BaseException):\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "thread": (
        "import threading\nt = threading.Thread(target=torch.softmax, args=(x, -1))\n"
        "t.start()\nt.join()",
        "softmax",
    ),
    "bare thread": (
        "import _thread, time\n_thread.start_new_thread(torch.softmax, (x, -1))\ntime.sleep(5)",
        "softmax",
    ),
    "_DisableTorchDispatch": (
        "with torch._C._DisableTorchDispatch():\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "modes disabled": (
        "from torch.utils._python_dispatch import _disable_current_modes\n"
        "with _disable_current_modes():\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "function mode": (
        "class M(torch.overrides.TorchFunctionMode):\n"
        "    def __torch_function__(self, f, t, a=(), k=None):\n        return f(*a, **(k or {}))\n"
        "with M():\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "dispatch mode": (
        "class M(torch.utils._python_dispatch.TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, f, t, a=(), k=None):\n        return f(*a, **(k or {}))\n"
        "with M():\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "keys excluded": (
        "s = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)\n"
        "with torch._C._ExcludeDispatchKeyGuard(s):\n    torch.softmax(x, -1)",
        "softmax",
    ),
    "below autograd": (
        "with torch._C._AutoDispatchBelowAutograd():\n    torch._softmax(x, -1, False)",
        "softmax",
    ),
    "inference mode": ("with torch.inference_mode():\n    torch.softmax(x, -1)", "softmax"),
    "no_grad": ("with torch.no_grad():\n    torch.softmax(x, -1)", "softmax"),
    "autocast": ("with torch.autocast('cpu'):\n    torch.softmax(x, -1)", "softmax"),
    "vmap": ("torch.vmap(lambda r: torch.softmax(r, -1))(x)", "softmax"),
    "func.grad": ("torch.func.grad(lambda v: torch.softmax(v, -1)[0, 0])(x)", "softmax"),
    "jvp": ("torch.func.jvp(lambda v: torch.softmax(v, -1), (x,), (x,))", "softmax"),
    "functionalize": ("torch.func.functionalize(lambda v: torch.softmax(v, -1))(x)", "softmax"),
    "functional_call": ("torch.func.functional_call(nn.Softmax(-1), {}, (x,))", "softmax"),
    "checkpoint": (
        "torch.utils.checkpoint.checkpoint(torch.softmax, x, -1, use_reentrant=False)",
        "softmax",
    ),
    "jit script": (
        "torch.jit.script('def f(x):\\n    return torch.softmax(x, -1)')",
        "torch.jit.script",
    ),
    "jit compilation unit": (
        "torch.jit.CompilationUnit('def f(x: Tensor):\\n    return x.softmax(-1)\\n').f(x)",
        "",
    ),
    "jit trace": ("torch.jit.trace(lambda v: torch.softmax(v, -1), x)", "torch.jit.trace"),
    "jit graph": (
        "torch._C._create_function_from_graph('f', torch._C.Graph())",
        "_create_function",
    ),
    "parsed graph": (
        "g = torch._C.parse_ir('graph(%x : Tensor):\\n  return (%x)')\n"
        "torch._C._jit_interpret_graph(g, (x,))",
        "_jit_interpret_graph",
    ),
    "compile": ("torch.compile(lambda v: torch.softmax(v, -1))(x)", "torch.compile"),
    "dynamo": ("torch._dynamo.optimize('eager')(lambda v: torch.softmax(v, -1))(x)", "_dynamo"),
    "make_fx": (
        "from torch.fx.experimental.proxy_tensor import make_fx\n"
        "make_fx(lambda v: torch.softmax(v, -1))(x)(x)",
        "softmax",
    ),
    "fx": ("torch.fx.symbolic_trace(nn.Softmax(-1))(x)", "softmax"),
    "library": (
        "l = torch.library.Library('aten', 'IMPL')\nl.impl('_softmax', lambda *a: a, 'CPU')",
        "torch.library.Library",
    ),
    "native library": (
        "torch._C._dispatch_library('IMPL', 'aten', '', '', 0)",
        "_dispatch_library",
    ),
    "custom_op": (
        "@torch.library.custom_op('a::b', mutates_args=())\ndef f(x: torch.Tensor) -> torch.Tensor:\n"
        "    return x",
        "torch.library",
    ),
    "destroyed libraries": (
        "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Library':\n"
        "        o.m = None\n        o._op_impls = set()\ntorch.softmax(x, -1)",
        "softmax",
    ),
    "builtin in backward": (
        "class S(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, v):\n        return v.clone()\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return torch.softmax(g, -1)\n"
        "S.apply(x.requires_grad_()).sum().backward()",
        "softmax",
    ),
    "hook in backward": (
        "x.requires_grad_().register_hook(lambda g: g.softmax(-1))\nx.sum().backward()",
        "softmax",
    ),
    "subclass": (
        "class T(torch.Tensor):\n    pass\nx.as_subclass(T).softmax(-1)",
        "softmax",
    ),
    "globals of F": ("F.softmax.__globals__['torch'].softmax(x, -1)", "softmax"),
    "unpickled": ("import pickle\npickle.loads(b'ctorch\\nsoftmax\\n.')(x, -1)", "softmax"),
    "importlib": (
        "import importlib\nimportlib.import_module('torch._refs').softmax(x, -1)",
        "torch._refs",
    ),
    "import statement": ("import torch._refs", "import torch._refs"),
    "from import": ("from torch import masked", "import torch.masked"),
    "dunder import": ("__import__('torch.testing')", "import torch.testing"),
    "real import": (
        "import builtins\nbuiltins.__import__('torch._inductor.decomposition').x",
        "torch._inductor",
    ),
    "numpy import": ("import numpy", "import numpy"),
    "numpy from sys.modules": ("import sys\nsys.modules['numpy'].array([1.0])", "numpy"),
    "Tensor.numpy": ("x.numpy()", "torch.Tensor.numpy"),
    "Tensor.__array__": ("x.__array__()", "torch.Tensor.numpy"),
    "numpy from buffer": ("import sys\nsys.modules['numpy'].frombuffer(b'12345678')", "numpy"),
    "ufunc": ("import sys\nsys.modules['numpy'].exp(1.0)", "numpy"),
    "ufunc dunder call": (
        "import sys\nn = sys.modules['numpy']\ntype(n.exp).__call__(n.exp, 1.0)",
        "numpy",
    ),
    "ndarray": ("import sys\nsys.modules['numpy'].ndarray((2,))", "numpy.ndarray"),
    "reading refs": (
        "import os\nopen(os.path.join(os.path.dirname(torch.__file__), '_refs', '__init__.py'))",
        "open ",
    ),
    "reading refs by another spelling": (
        "import os\nopen(os.path.dirname(torch.__file__) + '/nn/../_refs/__init__.py')",
        "open ",
    ),
    "getsource": ("import inspect\ninspect.getsource(torch._refs)", "open "),
    "pyc": (
        "import os, glob\nd = os.path.dirname(torch.__file__)\n"
        "open(glob.glob(d + '/_refs/__pycache__/*.pyc')[0], 'rb')",
        "open ",
    ),
    "linecache": ("import linecache\nlinecache.getlines(torch._refs.__file__)", "open "),
    "marshal": (
        "import marshal\nmarshal.loads(marshal.dumps(compile('1', 'a', 'eval')))",
        "marshal",
    ),
    "code replace": ("(lambda: 1).__code__.replace(co_code=b'')", "code.__new__"),
    "operation by name": (
        "torch._C._jit_get_operation('aten::softmax')[0](x, -1, None)",
        "softmax",
    ),
    "operation by overload": (
        "torch._C._get_operation_overload('aten::_softmax', '')[0](x, -1, False)",
        "aten::_softmax",
    ),
    "fake tensors": (
        "from torch._subclasses.fake_tensor import FakeTensorMode\n"
        "with FakeTensorMode():\n    torch.softmax(torch.ones(3), 0)",
        "softmax",
    ),
    "backend key excluded": (
        "torch._C._dispatch_tls_set_dispatch_key_excluded(torch._C.DispatchKey.AutogradCPU, True)\n"
        "torch._softmax(x, -1, False)",
        "aten::_softmax",
    ),
    "swapped code": (
        "import sys\nsys.modules['child.bans'].lift.__code__ = (lambda: None).__code__",
        "__code__",
    ),
}

RAW_MEMORY = {
    "ctypes import": ("import ctypes", "import ctypes"),
    "ctypes CDLL": ("import sys\nsys.modules['ctypes'].CDLL(None)", "ctypes"),
    "ctypes memmove": ("import sys\nsys.modules['ctypes'].memmove(1, 2, 3)", ""),
    "ctypes string_at": ("import sys\nsys.modules['ctypes'].string_at(id(x), 8)", ""),
    "ctypes cast": (
        "import sys\nc = sys.modules['ctypes']\nc.cast(1, c.POINTER(c.c_int))",
        "",
    ),
    "ctypes pythonapi": ("import sys\nsys.modules['ctypes'].pythonapi.Py_IncRef(x)", ""),
    "ctypes union": (
        "import sys\nc = sys.modules['ctypes']\n"
        "class U(c.Union):\n    _fields_ = [('a', c.c_long), ('b', c.py_object)]\nU()",
        "",
    ),
    "ctypes integer": ("import sys\nsys.modules['ctypes'].c_long(1)", ""),
    "ctypes from_address": (
        "import sys\nsys.modules['ctypes'].c_long.from_address(id(x))",
        "ctypes",
    ),
    "ctypes array": ("import sys\nsys.modules['ctypes'].c_long * 4", ""),
    "function pointer by dunder call": (
        "import sys\nc = sys.modules['ctypes']\nc._CFuncPtr.__call__(c._memmove_addr, 1) "
        "if not isinstance(c._memmove_addr, int) else c._CFuncPtr.__call__(c._cast, 1, 2, 3)",
        "",
    ),
    "storage from pointer": (
        "torch._C._construct_storage_from_data_pointer(id(x), torch.device('cpu'), 8)",
        "_construct_storage",
    ),
    "weak storage pointer": (
        "torch.UntypedStorage._new_with_weak_ptr(id(x))",
        "_new_with_weak_ptr",
    ),
    "weak storage free": ("torch.UntypedStorage._free_weak_ref(id(x))", "_free_weak_ref"),
    "capsule": ("torch._C._from_dlpack(None)", "_from_dlpack"),
    "subprocess": ("import subprocess\nsubprocess.Popen(['true'])", "subprocess.Popen"),
    "fork": ("import os\nos.fork()", "os.fork"),
    "exec": ("import os\nos.execv('/bin/true', ['true'])", "os.exec"),
    "system": ("import os\nos.system('true')", "os.system"),
    "spawn": ("import os\nos.posix_spawn('/bin/true', ['true'], {})", "os.posix_spawn"),
    "socket": ("import socket\nsocket.socket()", "socket"),
    "rearm": ("import sys\nsys.modules['child.bans']._state.native.arm(1, 'a')", "arm"),
    "reseal": ("import sys\nsys.modules['child.bans']._state.native.seal([], [], [], [])", "seal"),
    "lift": ("import sys\nsys.modules['child.bans'].lift()", "lift"),
    "trust": (
        "import sys\nsys.modules['child.bans'].trust((lambda: 1).__code__)",
        "trust",
    ),
}

RECORDING_HEAD = HEAD + "w = torch.randn(4, 4, requires_grad=True)\n"
RECORDING = {
    "plain": "w * 2",
    "enable_grad": "with torch.no_grad():\n    with torch.enable_grad():\n        w * 2",
    "set_grad_enabled": "torch.set_grad_enabled(True)\nw.exp()",
    "autograd.grad": "torch.autograd.grad((w * w).sum(), w)",
    "view": "w.view(16)",
    "in place": "y = w.detach().clone()\ny.mul_(w)",
    "out of a list": "torch.cat([x, w])",
    "stack": "torch.stack([w, w])",
    "split": "w.split(2)",
    "matmul": "x @ w",
    "einsum": "torch.einsum('ij,jk->ik', x, w)",
    "index": "w[0]",
    "thread": ("import threading\nt = threading.Thread(target=lambda: w * 2)\nt.start()\nt.join()"),
    "func.grad": "torch.func.grad(lambda v: (v * v).sum())(x)",
    "func.vjp": "torch.func.vjp(lambda v: v * v, x)",
    "func.jvp": "torch.func.jvp(lambda v: v * v, (x,), (x,))",
    "func.jacrev": "torch.func.jacrev(lambda v: v * v)(x)",
    "func.jacfwd": "torch.func.jacfwd(lambda v: v * v)(x)",
    "func.hessian": "torch.func.hessian(lambda v: (v * v).sum())(x)",
    "func.linearize": "torch.func.linearize(lambda v: v * v, x)",
    "functional.jacobian": "torch.autograd.functional.jacobian(lambda v: v * v, x)",
    "functional.vjp": "torch.autograd.functional.vjp(lambda v: v * v, x, x)",
    "forward AD": (
        "import torch.autograd.forward_ad as fwd\nwith fwd.dual_level():\n"
        "    fwd.make_dual(x, x) * 2"
    ),
    "inside forward": (
        "class C(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, v):\n"
        "        with torch.enable_grad():\n            v = v.detach().requires_grad_()\n"
        "            return torch.autograd.grad((v * v).sum(), v)[0]\n"
        "C.apply(w)"
    ),
    "inside backward": (
        "class C(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, v):\n        return v.clone()\n"
        "    @staticmethod\n    def backward(ctx, g):\n"
        "        with torch.enable_grad():\n            v = g.detach().requires_grad_()\n"
        "            return torch.autograd.grad((v * v).sum(), v)[0]\n"
        "C.apply(w).backward(x)"
    ),
    "by alias key": ("torch.ops.aten.mul.Tensor._op_dk(torch._C.DispatchKey.Autograd, w, w)"),
    "redispatch": (
        "s = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU) "
        "| torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)\n"
        "torch.ops.aten.mul.Tensor.redispatch(s, w, w)"
    ),
    "sparse": "s = x.to_sparse().requires_grad_()\ns * 2",
    "mkldnn": "m = x.to_mkldnn().requires_grad_()\nm * m",
    "nested": "n = torch.nested.nested_tensor([x, x]).requires_grad_()\nn * 2",
    "vmap of grad": "torch.vmap(torch.func.grad(lambda r: (r * r).sum()))(x)",
    "module": "nn.LayerNorm(4)(x)",
    "Parameter": "nn.Parameter(x) * 2",
    "saved hooks": (
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n    w * w"
    ),
    "checkpoint": "torch.utils.checkpoint.checkpoint(torch.exp, w, use_reentrant=True).backward(x)",
    "callable class": "import functools\nfunctools.reduce(torch.mul, [w, w])",
    "switch from a finaliser": (
        "import sys\nclass A:\n    pass\n"
        "A.__del__ = lambda self: sys.modules['child.bans'].recording_switch()(False)\nA()"
    ),
    "switch": "import sys\nsys.modules['child.bans'].recording_switch()(False)",
    "native switch": "import sys\nsys.modules['child.bans']._state.native.forbid_recording(False)",
    "switch in a bare thread": (
        "import sys, _thread, time\n_thread.start_new_thread(sys.modules['child.bans']._state.native"
        ".forbid_recording, (False,))\ntime.sleep(5)"
    ),
}

EXPAND = {
    "method": ("x.expand(2, 4, 4)", "expand"),
    "expand_as": ("x.expand_as(torch.ones(2, 4, 4))", "expand"),
    "broadcast_to": ("torch.broadcast_to(x, (2, 4, 4))", "broadcast_to"),
    "broadcast_tensors": ("torch.broadcast_tensors(x, x)", "broadcast_tensors"),
    "broadcast_shapes": ("torch.broadcast_shapes((1,), (3,))", "broadcast_shapes"),
    "functional.broadcast_shapes": (
        "torch.functional.broadcast_shapes((1,), (3,))",
        "broadcast_shapes",
    ),
    "repeat": ("x.repeat(2, 1)", "repeat"),
    "tile": ("x.tile(2)", "tile"),
    "repeat_interleave": ("x.repeat_interleave(2)", "repeat_interleave"),
    "meshgrid": ("torch.meshgrid(ids, ids, indexing='ij')", "meshgrid"),
    "cartesian_prod": ("torch.cartesian_prod(ids, ids)", "cartesian_prod"),
    "sum_to_size": ("x.sum_to_size(4)", "sum_to_size"),
    "expand_copy": ("torch.expand_copy(x, (2, 4, 4))", "expand_copy"),
    "aten": ("torch.ops.aten.expand(x, [2, 4, 4])", "expand"),
    "alias key": (
        "k = torch._C.DispatchKey.CompositeExplicitAutograd\n"
        "torch.ops.aten.expand.default._op_dk(k, x, [2, 4, 4])",
        "expand",
    ),
    "meta": ("x.to('meta').expand(2, 4, 4)", "expand"),
    "vmap": ("torch.vmap(lambda r: r, out_dims=1)(x)", "vmap"),
    "func.vmap": ("torch.func.vmap(lambda r: x)(x)", "vmap"),
    "broadcast_all": ("torch.distributions.utils.broadcast_all(x, 1.0)", "broadcast_all"),
    "refs": ("torch._refs.expand(x, 2, 4, 4)", "torch._refs"),
    "inside a subclass of matmul": (
        "class T(torch.Tensor):\n"
        "    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None):\n"
        "        return torch.ones(3, 1).expand(3, 3)\n"
        "torch.matmul(x.as_subclass(T), x)",
        "expand",
    ),
    "inside a hook on saved tensors": (
        "import operator\ny = x.clone().requires_grad_()\n"
        "pack = operator.methodcaller('expand', 2, 4, 4)\n"
        "with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):\n    y.exp()",
        "expand",
    ),
    "inside a dispatch mode": (
        "class M(torch.utils._python_dispatch.TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, f, t, a=(), k=None):\n"
        "        return torch.ones(4, 1).expand(4, 4)\n"
        "with M():\n    torch.matmul(x, x)",
        "expand",
    ),
}

TWINS = {
    "04": {
        "functional": ("F.linear(x, x)", "linear"),
        "module": ("nn.Linear(4, 4)(x)", "linear"),
        "backward": ("torch.ops.aten.linear_backward(x, x, x, [True] * 3)", "linear_backward"),
        "bilinear": ("F.bilinear(x, x, torch.ones(2, 4, 4))", "bilinear"),
        "convolution": ("F.conv1d(x[None], torch.ones(2, 4, 1))", "conv"),
        "convolution backward": (
            "torch.ops.aten.convolution_backward(x[None], x[None], torch.ones(4, 4, 1), None, [1], "
            "[0], [1], False, [0], 1, [True] * 3)",
            "convolution_backward",
        ),
        "mkldnn": ("torch._C._nn.mkldnn_linear(x.to_mkldnn(), x)", "linear"),
        "trilinear": ("torch._trilinear(x, x, x, [], [], [], [0])", "trilinear"),
        "attention projection": ("F._in_projection_packed(x, x, x, torch.ones(12, 4))", "linear"),
    },
    "05": {
        "relu": ("F.relu(x)", "relu"),
        "relu_": ("x.relu_()", "relu"),
        "leaky": ("F.leaky_relu(x, 0.0)", "leaky_relu"),
        "hardtanh": ("F.hardtanh(x, 0.0, 9e9)", "hardtanh"),
        "relu6": ("F.relu6(x)", ""),
        "threshold": ("F.threshold(x, 0.0, 0.0)", "threshold"),
        "threshold_backward": ("torch.ops.aten.threshold_backward(x, x, 0)", "threshold_backward"),
        "prelu": ("F.prelu(x, torch.zeros(1))", "prelu"),
        "elu": ("F.elu(x, 0.0)", "elu"),
        "softshrink": ("F.softshrink(x, 0.0)", "softshrink"),
        "fused": ("torch._addmm_activation(x, x, torch.eye(4), beta=0)", "_addmm_activation"),
        "add_relu": ("torch._VF._add_relu(x, x)", "relu"),
    },
    "07": {
        "functional": ("F.layer_norm(x, (4,))", "layer_norm"),
        "module": ("nn.LayerNorm(4)(x)", "layer_norm"),
        "native": ("torch.native_layer_norm(x, (4,), None, None, 1e-5)", "native_layer_norm"),
        "group": ("F.group_norm(x, 1)", "group_norm"),
        "instance": ("F.instance_norm(x[None])", "norm"),
        "batch": ("F.batch_norm(x.T, None, None, training=True)", "batch_norm"),
        "rms": ("F.rms_norm(x, (4,))", "rms_norm"),
        "fused rms": ("torch._fused_rms_norm(x, (4,), None, 1e-5)", "rms_norm"),
        "no stats": (
            "torch.ops.aten._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5)",
            "batch_norm",
        ),
        "refs": ("torch._refs.nn.functional.layer_norm(x, (4,))", "torch._refs"),
    },
    "09": {
        "module": ("nn.RNN(4, 4)(x)", "rnn_tanh"),
        "cell": ("nn.RNNCell(4, 4)(x)", "rnn_tanh_cell"),
        "VF": ("torch._VF.rnn_relu_cell(x, x, x, x)", "rnn_relu_cell"),
        "lstm": ("nn.LSTM(4, 4)(x)", "lstm"),
        "gru": ("nn.GRUCell(4, 4)(x)", "gru_cell"),
    },
    "02": {
        "cross entropy": ("F.cross_entropy(x, ids)", "cross_entropy"),
        "nll": ("F.nll_loss(x, ids)", "nll_loss"),
        "nll2d": ("F.nll_loss(x[None], ids[:1, None])", "nll_loss"),
        "kl_div": ("F.kl_div(x, x)", "kl_div"),
        "multi margin": ("F.multi_margin_loss(x, ids)", "multi_margin"),
        "binary": ("F.binary_cross_entropy_with_logits(x, x)", "binary_cross_entropy"),
    },
    "10": {
        "gradcheck": (
            "torch.autograd.gradcheck(torch.sin, (x.double().requires_grad_(),))",
            "gradcheck",
        ),
        "gradgradcheck": ("torch.autograd.gradgradcheck(torch.sin, (x,))", "gradcheck"),
        "private": (
            "torch.autograd.gradcheck.__globals__['_get_numerical_jacobian'](1, 2)",
            "gradcheck",
        ),
        "import": ("from torch.autograd.gradcheck import gradcheck", "gradcheck"),
        "testing": ("torch.testing.assert_close(x, x)", "torch.testing"),
        "source": (
            "import sys\nopen(sys.modules['torch.autograd.gradcheck'].__file__)",
            "gradcheck",
        ),
    },
}
