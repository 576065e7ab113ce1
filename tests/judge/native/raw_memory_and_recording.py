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
    "view beyond the storage": (
        "torch.ops.aten._reshape_alias(x, [4, 4], [1 << 20, 1])",
        "aten::_reshape_alias",
    ),
    "view of more elements": (
        "torch.ops.aten._reshape_alias(x, [1 << 20], [1])",
        "aten::_reshape_alias",
    ),
    "copy of a view beyond the storage": (
        "torch.ops.aten._reshape_alias_copy(x, [4, 4], [1 << 20, 1])",
        "aten::_reshape_alias",
    ),
    "view beyond the storage in inference": (
        "with torch.inference_mode():\n    torch.ops.aten._reshape_alias(x, [4, 4], [-8, 1])",
        "aten::_reshape_alias",
    ),
    "reinterpreted tensor": (
        "torch.ops.inductor._reinterpret_tensor(x, [4], [1], 1 << 20)",
        "inductor::_reinterpret_tensor",
    ),
    "piece of a pool": (
        "torch.ops.inductor._alloc_from_pool(x, 1 << 20, torch.float32, [4], [1])",
        "inductor::_alloc_from_pool",
    ),
    "a dtype before the table": ("torch.ops.aten.to(x, -1)", "aten::to"),
    "a dtype behind the table": ("torch.ops.aten.empty([4], dtype=127)", "aten::empty"),
    "a view with such a dtype": ("torch.ops.aten.view.dtype(x, -1)", "aten::view.dtype"),
    "such a dtype by key": (
        "torch.ops.aten.sum.dim_IntList._op_dk(torch._C.DispatchKey.CPU, x, [0], dtype=-3)",
        "aten::sum.dim_IntList",
    ),
    "such a dtype by the key of a composition": (
        "torch.ops.aten.to.dtype._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, x, -1)",
        "aten::to.dtype",
    ),
    "such a dtype in inference": (
        "with torch.inference_mode():\n    torch.ops.aten.sum(x, dtype=-128)",
        "aten::sum",
    ),
    "such a dtype in vmap": (
        "torch.func.vmap(lambda v: torch.ops.aten.to.dtype(v, -1))(x)",
        "aten::_to_copy",
    ),
    "such a dtype of prims": (
        "torch.ops.prims.convert_element_type(x, -1)",
        "prims::convert_element_type",
    ),
    "such a dtype of a sparse tensor": (
        "torch.ops.aten.to_dense(x.to_sparse(), -1)",
        "aten::to_dense",
    ),
    "more factors than right-hand sides": (
        "torch.ops.aten._cholesky_solve_helper(torch.ones(1, 1), torch.ones(1 << 20, 1, 1), False)",
        "aten::_cholesky_solve_helper",
    ),
    "a factor larger than the right-hand side": (
        "torch.ops.aten._cholesky_solve_helper(torch.ones(1, 1), torch.eye(64), False)",
        "aten::_cholesky_solve_helper",
    ),
    "a factor that is not square": (
        "torch.ops.aten._cholesky_solve_helper.out("
        "torch.ones(64, 1), torch.ones(64, 1), True, out=torch.ones(64, 1))",
        "aten::_cholesky_solve_helper",
    ),
    "a generator of NumPy that is none": (
        "import gc\nfor item in gc.get_objects():\n"
        "    if type(item).__name__ == 'cython_function_or_method':\n"
        "        if item.__qualname__ == 'Generator.exponential':\n            item(x)",
        "cython_function_or_method",
    ),
    "a random number of NumPy": (
        "import sys\nsys.modules['numpy'].random.shuffle(x)",
        "cython_function_or_method",
    ),
    "running averages of fewer channels": (
        "m = torch.zeros(1)\n"
        "torch.ops.aten.native_batch_norm(x, None, None, m, m.clone(), True, 1., 1e-5)",
        "aten::native_batch_norm",
    ),
    "averages of fewer channels to update": (
        "torch.ops.aten.batch_norm_update_stats(x, torch.zeros(1), torch.zeros(1), 1.)",
        "aten::batch_norm_update_stats",
    ),
    "a weight of fewer channels": (
        "torch.ops.aten._native_batch_norm_legit.no_stats(x, x[0, :1], None, True, 1., 1e-5)",
        "aten::_native_batch_norm_legit.no_stats",
    ),
    "saved averages of fewer channels": (
        "torch.ops.aten.native_batch_norm_backward(x, x, None, None, None, x[0, :1], x[0, :1], "
        "True, 1e-5, [True] * 3)",
        "aten::native_batch_norm_backward",
    ),
    "an index of a bag": (
        "torch.ops.aten._embedding_bag_dense_backward(torch.ones(1, 3), torch.tensor([1 << 40]), "
        "ids[:1], ids[1:2], ids[:1], 4, False, 0, None)",
        "aten::_embedding_bag_dense_backward",
    ),
    "an index of a weight in a bag": (
        "torch.ops.aten._embedding_bag_per_sample_weights_backward("
        "x[:1], x, torch.tensor([1 << 40]), ids[:1], ids[:1], 0)",
        "aten::_embedding_bag_per_sample_weights_backward",
    ),
    "an index of a pooled element": (
        "torch.ops.aten.adaptive_max_pool2d_backward(x[None, :1, :1], x[None], "
        "torch.tensor([[[1 << 40]]]))",
        "aten::adaptive_max_pool2d_backward",
    ),
    "an index of a pooled element in three dimensions": (
        "torch.ops.aten.adaptive_max_pool3d_backward(x[None, None, :1, :1], x[None, None], "
        "torch.tensor([[[[1 << 40]]]]))",
        "aten::adaptive_max_pool3d_backward",
    ),
    "an index of a window": (
        "torch.ops.aten.max_pool3d_with_indices_backward(x[None, None, :1, :1], x[None, None], "
        "[1, 4, 4], [1, 4, 4], [0, 0, 0], [1, 1, 1], False, torch.tensor([[[[1 << 40]]]]))",
        "aten::max_pool3d_with_indices_backward",
    ),
    "a length of a segment": (
        "torch.segment_reduce(x, 'sum', lengths=torch.tensor([1 << 40]), unsafe=True)",
        "aten::segment_reduce",
    ),
    "a length of a segment in backward": (
        "torch.ops.aten._segment_reduce_backward(x[:1], x[:1], x, 'sum', "
        "lengths=torch.tensor([1 << 40]))",
        "aten::_segment_reduce_backward",
    ),
    "a target of ctc_loss": (
        "F.ctc_loss(x[:, None], torch.tensor([[1 << 40, 1]]), [4], [2])",
        "aten::_ctc_loss",
    ),
    "a target of ctc_loss in backward": (
        "torch.ops.aten._ctc_loss_backward(x[0, :1], x[:, None], torch.tensor([[1 << 40, 1]]), "
        "[4], [2], x[0, :1], x[:, None], 0)",
        "aten::_ctc_loss_backward",
    ),
    "a state of one tensor": (
        "torch.ops.aten.quantized_lstm_cell(x, [x], *[x] * 8, 0., 0., 0., 0.)",
        "aten::quantized_lstm_cell",
    ),
    "distances of more rows": (
        "torch.ops.aten._cdist_backward("
        "x[:1, :1], torch.ones(1 << 20, 3), x[:, :3], 2., x[:1, :1])",
        "aten::_cdist_backward",
    ),
    "distances of more pairs": (
        "torch.ops.aten._pdist_backward(x[0], torch.ones(1 << 12, 3), 2., x[0])",
        "aten::_pdist_backward",
    ),
    "record at an address": (
        "import io\nw = torch.PyTorchFileWriter(io.BytesIO())\nw.write_record('a', id(x), 8)",
        "write_record",
    ),
    "record beyond bytes": (
        "import io\ntorch.PyTorchFileWriter(io.BytesIO()).write_record('a', b'ab', 99)",
        "write_record",
    ),
    "record beyond a text": (
        "import io\ntorch.PyTorchFileWriter(io.BytesIO()).write_record('a', 'ab', 99)",
        "write_record",
    ),
    "record beyond a storage": (
        "import io\nw = torch.PyTorchFileWriter(io.BytesIO())\n"
        "w.write_record('a', x.untyped_storage(), 1 << 20)",
        "write_record",
    ),
    "record by keywords": (
        "import io\nw = torch.PyTorchFileWriter(io.BytesIO())\nw.write_record('a', id(x), arg2=8)",
        "write_record",
    ),
    "an event that is none": ("torch.Stream().wait_event(complex(1, 2))", "torch.Stream"),
    "a stream that is none": ("torch.Event().record(complex(1, 2))", "torch.Event"),
    "weak storage expired": ("torch.UntypedStorage._expired(id(x))", "_expired"),
    "storage from a file, with missing arguments": (
        "torch.UntypedStorage()._set_from_file(x)",
        "_set_from_file",
    ),
    "storage to a file, with missing arguments": (
        "torch.UntypedStorage()._write_file(x)",
        "_write_file",
    ),
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
    "rearm": ("import sys\nsys.modules['child.bans.bans']._state.native.arm(1, 'a')", "arm"),
    "reseal": (
        "import sys\nsys.modules['child.bans.bans']._state.native.seal([], [], [], [], [])",
        "seal",
    ),
    "lift": ("import sys\nsys.modules['child.bans.bans'].while_lifted(print)", "while_lifted"),
    "trust": (
        "import sys\nsys.modules['child.bans.bans'].trust((lambda: 1).__code__)",
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
        "A.__del__ = lambda self: sys.modules['child.bans.bans'].load(int, bare=False)\nA()"
    ),
    "switch": "import sys\nsys.modules['child.bans.bans'].load(int, bare=False)",
    "native switch": "import sys\nsys.modules['child.bans.bans']._state.native.load(int, False)",
    "switch in a bare thread": (
        "import sys, _thread, time\n"
        "switch = sys.modules['child.bans.bans']._state.native.load\n"
        "_thread.start_new_thread(switch, (int, False))\ntime.sleep(5)"
    ),
}
