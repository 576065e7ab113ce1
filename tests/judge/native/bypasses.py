"""Ways round the ban of softmax: name -> (source, what the report must name)."""

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
    "nested": ("torch.nested.nested_tensor([x, x]).softmax(-1)", "torch.nested.nested_tensor"),
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
        "redispatch_boxed",
    ),
    "computed kernel": (
        "torch._C._dispatch_get_computed_kernel_for_dispatch_key('aten::_softmax', 'CPU')",
        "kernel",
    ),
    "get_kernel": ("torch.library.get_kernel('aten::_softmax', 'CPU')", "get_kernel"),
    "prims": ("torch.ops.prims.exp(x)", "autograd_impl"),
    "swallowed": (
        "try:\n    torch.softmax(x, -1)\nexcept BaseException:\n    pass\n"
        "finally:\n    print('on')",
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
        "_push_on_torch_function_stack",
    ),
    "dispatch mode": (
        "class M(torch.utils._python_dispatch.TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, f, t, a=(), k=None):\n        return f(*a, **(k or {}))\n"
        "with M():\n    torch.softmax(x, -1)",
        "_push_on_torch_dispatch_stack",
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
    "functionalize": (
        "torch.func.functionalize(lambda v: torch.softmax(v, -1))(x)",
        "_func_increment_nesting",
    ),
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
        "torch._C.Graph",
    ),
    "parsed graph": (
        "g = torch._C.parse_ir('graph(%x : Tensor):\\n  return (%x)')\n"
        "torch._C._jit_interpret_graph(g, (x,))",
        "torch._C.parse_ir",
    ),
    "compile": ("torch.compile(lambda v: torch.softmax(v, -1))(x)", "torch.compile"),
    "dynamo": ("torch._dynamo.optimize('eager')(lambda v: torch.softmax(v, -1))(x)", "_dynamo"),
    "make_fx": (
        "from torch.fx.experimental.proxy_tensor import make_fx\n"
        "make_fx(lambda v: torch.softmax(v, -1))(x)(x)",
        "make_fx",
    ),
    "fx": ("torch.fx.symbolic_trace(nn.Softmax(-1))(x)", "symbolic_trace"),
    "library": (
        "l = torch.library.Library('aten', 'IMPL')\nl.impl('_softmax', lambda *a: a, 'CPU')",
        "torch.library.Library",
    ),
    "native library": (
        "torch._C._dispatch_library('IMPL', 'aten', '', '', 0)",
        "_dispatch_library",
    ),
    "custom_op": (
        "@torch.library.custom_op('a::b', mutates_args=())\n"
        "def f(x: torch.Tensor) -> torch.Tensor:\n"
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
        "FakeTensorMode",
    ),
    "backend key excluded": (
        "torch._C._dispatch_tls_set_dispatch_key_excluded(torch._C.DispatchKey.AutogradCPU, True)\n"
        "torch._softmax(x, -1, False)",
        "_dispatch_tls_set_dispatch_key_excluded",
    ),
    "swapped code": (
        "import sys\nlifted = sys.modules['child.bans.bans'].while_lifted\n"
        "lifted.__code__ = (lambda work: work()).__code__",
        "__code__",
    ),
}
