"""Ways round bans of other operators, by problem: name -> (source, what the report must name)."""

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
    "_refs._broadcast_shapes": ("torch._refs._broadcast_shapes((1,), (3,))", "broadcast_shapes"),
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
        "_op_dk",
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
        "",
    ),
}

RELATED_OPERATORS = {
    "04": {
        "functional": ("F.linear(x, x)", "linear"),
        "vmap": ("torch.vmap(lambda row: F.linear(row, torch.ones(3, 4)))(x)", "aten::linear"),
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
        "fused with a product": (
            "torch.ops.mkldnn._linear_pointwise(x, torch.eye(4), None, 'relu', [], '')",
            "_linear_pointwise",
        ),
        "fused with a convolution": (
            "torch.ops.mkldnn._convolution_pointwise(\n"
            "    x[None, None], torch.ones(1, 1, 1, 1), None, [0, 0], [1, 1], [1, 1], 1,\n"
            "    'hardtanh', [0.0, 9e9], '')",
            "_convolution_pointwise",
        ),
        "fused with a sum": (
            "torch.ops.mkldnn._linear_pointwise(x, x, torch.eye(4), None, 'add')",
            "_linear_pointwise",
        ),
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
        "vmap": (
            "torch.vmap(lambda row: F.binary_cross_entropy_with_logits(row, x[0]))(x)",
            "binary_cross_entropy_with_logits",
        ),
        "cross entropy": ("F.cross_entropy(x, ids)", "cross_entropy"),
        "soft margin": (
            "F.multilabel_soft_margin_loss(x, x.sigmoid())",
            "multilabel_soft_margin_loss",
        ),
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
