"""Ways to raw memory, other programs and recording: name -> (source, what the report must name)."""

from tests.judge.native.bypasses import HEAD

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
    "subprocess": ("import sys\nsys.modules['subprocess'].Popen(['true'])", "subprocess.Popen"),
    "subprocess import": ("import subprocess", "import subprocess"),
    "_testcapi": ("import importlib\nimportlib.import_module('_testcapi')", "_testcapi"),
    "fork_exec": ("import sys\nsys.modules['_posixsubprocess'].fork_exec()", "fork_exec"),
    "fork": ("import os\nos.fork()", "os.fork"),
    "exec": ("import os\nos.execv('/bin/true', ['true'])", "os.exec"),
    "system": ("import os\nos.system('true')", "os.system"),
    "spawn": ("import os\nos.posix_spawn('/bin/true', ['true'], {})", "os.posix_spawn"),
    "socket": ("import socket\nsocket.socket()", "socket"),
    "rearm": ("import sys\nsys.modules['child.bans']._state.native.arm(1, 'a')", "arm"),
    "reseal": (
        "import sys\nsys.modules['child.bans']._state.native.seal([], [], [], [], [])",
        "seal",
    ),
    "lift": ("import sys\nsys.modules['child.bans'].while_lifted(print)", "while_lifted"),
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
        "A.__del__ = lambda self: sys.modules['child.bans'].load(int, bare=False)\nA()"
    ),
    "switch": "import sys\nsys.modules['child.bans'].load(int, bare=False)",
    "native switch": "import sys\nsys.modules['child.bans']._state.native.load(int, False)",
    "switch in a bare thread": (
        "import sys, _thread, time\n"
        "switch = sys.modules['child.bans']._state.native.load\n"
        "_thread.start_new_thread(switch, (int, False))\ntime.sleep(5)"
    ),
}
