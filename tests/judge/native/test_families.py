import json

import pytest

pytestmark = pytest.mark.torch

SCRIPT = """
import json, sys
names = set(bans.expand_families([{family!r}]))
print(json.dumps([sorted({wanted!r} - names), sorted({allowed!r} & names)]))
"""

MEMBERS = {
    "softmax": (
        {"aten::_softmax.out", "aten::_log_softmax_backward_data", "aten::logcumsumexp.out"},
        {"aten::exp", "aten::exp2", "aten::log", "aten::amax", "aten::cumsum", "aten::logaddexp"},
    ),
    "logaddexp": (
        {"aten::logaddexp", "aten::logaddexp.out", "aten::logaddexp2", "aten::logaddexp2.out"},
        {"aten::logsumexp", "aten::log1p", "aten::exp2", "aten::softplus", "aten::maximum"},
    ),
    "transformer": (
        {
            *("aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math"),
            *("aten::_scaled_dot_product_flash_attention_for_cpu", "aten::_fused_sdp_choice"),
            *("aten::_native_multi_head_attention.out", "aten::_flash_attention_forward"),
            *("aten::_efficient_attention_forward", "aten::_triton_scaled_dot_attention"),
            *("aten::_triton_multi_head_attention", "aten::_transformer_encoder_layer_fwd"),
            "aten::_transform_bias_rescale_qkv",
        },
        {
            *("aten::softmax.int", "aten::_softmax", "aten::_safe_softmax", "aten::linear"),
            *("aten::bmm", "aten::baddbmm", "aten::native_layer_norm", "aten::native_dropout"),
            *("aten::gelu", "aten::triu", "aten::masked_fill.Scalar"),
        },
    ),
    "nll_loss": (
        {"aten::nll_loss2d_backward", "aten::cross_entropy_loss", "aten::multi_margin_loss"},
        {"aten::gather", "aten::scatter.value", "aten::log1p"},
    ),
    "expand": (
        {"aten::expand", "aten::meshgrid.indexing", "aten::repeat_interleave.self_int"},
        {
            "aten::as_strided",
            "aten::sum.dim_IntList",
            "aten::set_.source_Storage",
            "aten::quantile",
        },
    ),
    "linear": (
        {"aten::linear.out", "aten::linear_backward", "aten::mkldnn_linear"},
        {"aten::mm", "aten::addmm", "aten::bmm", "aten::upsample_linear1d", "aten::outer"},
    ),
    "convolution": (
        {"aten::convolution_backward", "aten::conv1d.padding", "aten::mkldnn_convolution"},
        {"prims::convert_element_type", "aten::_convert_indices_from_coo_to_csr"},
    ),
    "relu": (
        {"aten::relu_", "aten::threshold_backward", "aten::prelu", "aten::_addmm_activation"},
        {"aten::clamp", "aten::maximum", "aten::gelu", "aten::where.self", "aten::sign"},
    ),
    "normalization": (
        {"aten::native_layer_norm_backward", "aten::_fused_rms_norm", "aten::instance_norm"},
        {"aten::mean.dim", "aten::var.correction", "aten::linalg_vector_norm", "aten::norm.Scalar"},
    ),
    "norm": (
        {"aten::norm.ScalarOpt_dim", "aten::_foreach_norm.Scalar", "aten::renorm_", "aten::dist"},
        {
            "aten::sum",
            "aten::amax",
            "aten::dot",
            "aten::native_layer_norm",
            "aten::_foreach_mul_.Tensor",
        },
    ),
    "solve": (
        {"aten::linalg_lstsq.out", "aten::_linalg_eigh", "aten::cholesky_solve", "aten::inverse"},
        {
            "aten::mm",
            "aten::linalg_vector_norm",
            "aten::silu_",
            "aten::rsqrt",
            "aten::slice_inverse",
        },
    ),
    "matrix_exp": (
        {"aten::matrix_exp", "aten::linalg_matrix_exp.out", "aten::matrix_exp_backward"},
        {"aten::matrix_power", "aten::linalg_cross", "aten::exp", "aten::bmm", "aten::sinc"},
    ),
    "nested": (
        {
            *("aten::_nested_tensor_from_tensor_list", "aten::to_padded_tensor"),
            *("aten::nested_to_padded_tensor", "aten::_jagged_to_padded_dense_forward"),
        },
        {"aten::constant_pad_nd", "aten::stack", "aten::masked_scatter"},
    ),
    "pad_sequence": (
        {"aten::pad_sequence", "aten::_pack_padded_sequence", "aten::_pad_packed_sequence"},
        {"aten::constant_pad_nd", "aten::cat", "aten::index_put", "aten::full"},
    ),
    "fused_update": (
        {"aten::_fused_sgd_", "aten::_fused_adamw_.tensor_lr"},
        {"aten::_fused_dropout", "aten::_foreach_add_.List", "aten::addcmul_"},
    ),
    "rnn": (
        {"aten::rnn_tanh_cell", "aten::lstm.data", "aten::gru_cell", "aten::mkldnn_rnn_layer"},
        {"aten::tanh", "aten::relu", "aten::stack", "aten::index_select"},
    ),
    "autocast": (
        {
            *("aten::_amp_update_scale_", "aten::_amp_foreach_non_finite_check_and_unscale.out"),
            "aten::_autocast_to_reduced_precision",
        },
        {"aten::_to_copy", "aten::isfinite", "aten::_foreach_mul_.Tensor", "aten::mm"},
    ),
    "optimizer": (
        {"aten::_fused_adam_", "aten::_fused_adamw.tensor_lr", "aten::_fused_sgd.out"},
        {"aten::_foreach_addcdiv_.Scalar", "aten::lerp_.Scalar", "aten::addcmul_"},
    ),
}


@pytest.mark.parametrize("family", MEMBERS)
def test_a_family_holds_its_operators_and_no_allowed_one(warm, family):
    wanted, allowed = MEMBERS[family]
    driver = SCRIPT.format(family=family, wanted=wanted, allowed=allowed)
    result = warm.run("06", "", driver)
    assert json.loads(result["output"]) == [[], []]


@pytest.mark.attack
@pytest.mark.parametrize(
    "call",
    [
        "torch.nn.MultiheadAttention(4, 2)",
        "torch.nn.TransformerEncoderLayer(4, 2)",
        "torch.nn.TransformerEncoder(torch.nn.Linear(4, 4), 1)",
        "torch.nn.TransformerDecoderLayer(4, 2)",
        "torch.nn.Transformer(4, 2)",
        "torch.nn.MultiheadAttention.forward(None, x, x, x)",
        "torch.nn.functional.multi_head_attention_forward()",
        "torch.nn.functional.scaled_dot_product_attention(x, x, x)",
        "torch._transform_bias_rescale_qkv(torch.ones(1, 2, 12), torch.ones(12), 2)",
    ],
)
def test_no_module_computes_what_the_family_transformer_bans(warm, call):
    deny = {"families": ["transformer"], "forward_only": [], "functions": [], "modules": []}
    before = "import torch\nx = torch.ones(1, 2, 4)\n"
    right = "torch.softmax(torch.nn.LayerNorm(4)(torch.nn.Linear(4, 4)(x)) @ x.mT, -1)"
    assert warm.run_under(deny, before + right)["status"] == 0
    assert warm.run_under(deny, before + call)["status"] == 86


FUNCTION_MODE = """
class Doubles(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        return 2 * result if function is torch.Tensor.exp else result


with Doubles():
    assert torch.zeros(()).exp() == 2
"""


@pytest.mark.full
@pytest.mark.attack
@pytest.mark.parametrize(
    "call",
    [
        "torch.autocast('cpu')",
        "torch.amp.autocast('cpu').__enter__()",
        "torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)",
        "torch.cuda.amp.autocast()",
        "torch.cpu.amp.autocast()",
        "torch.amp.GradScaler('cpu')",
        "torch.cuda.amp.GradScaler()",
        "torch.amp.custom_fwd(lambda x: x, device_type='cpu')",
        "torch.set_autocast_enabled('cpu', True)",
        "torch.set_autocast_cpu_enabled(True)",
        "torch._C.set_autocast_dtype('cpu', torch.float16)",
        "torch.autocast_increment_nesting()",
        "with torch._C._SetExcludeDispatchKeyGuard(KEY, False): x @ x",
        "with torch._C._ForceDispatchKeyGuard(both, other): x @ x",
        "torch._C._IncludeDispatchKeyGuard(KEY)",
        "torch._C._dispatch_tls_set_dispatch_key_excluded(KEY, False)",
        "torch.ops.aten.mm.default.redispatch(keys, x, x)",
        "torch.ops.aten.layer_norm.default.redispatch(keys, x, [2])",
        "torch.ops.aten.mm.default._op_dk(KEY, x, x)",
        "torch.ops.aten._autocast_to_reduced_precision(x, False, True, torch.half, torch.half)",
        "torch._amp_update_scale_(x[0, :1], x[0, :1].int(), x[0, :1], 2.0, 0.5, 2)",
        "torch._amp_foreach_non_finite_check_and_unscale_([x], x[0, :1], x[0, :1])",
        "torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False)",
        "torch.jit.script(lambda x: x)",
        "torch.overrides.TorchFunctionMode, torch.utils._python_dispatch.TorchDispatchMode()"
        ".__enter__()",
    ],
)
def test_nothing_reaches_what_the_family_autocast_bans(warm, call):
    deny = {"families": ["autocast"], "forward_only": [], "functions": [], "modules": []}
    before = (
        "import torch\nx = torch.ones(2, 2)\n"
        "KEY = torch._C.DispatchKey.AutocastCPU\nkeys = torch._C.DispatchKeySet(KEY)\n"
        "both = keys | torch._C._dispatch_keys(x)\n"
        "other = torch._C.DispatchKeySet(torch._C.DispatchKey.Meta)\n"
    )
    assert warm.run_under(deny, before + FUNCTION_MODE)["status"] == 0
    assert warm.run_under(deny, before + call)["status"] == 86


@pytest.mark.full
@pytest.mark.attack
@pytest.mark.parametrize(
    "call",
    [
        "torch.autograd.functional.hvp(f, x, x)",
        "torch.autograd.functional.jacobian(f, x)",
        "torch.func.grad(f)(x)",
        "torch.func.jvp(f, (x,), (x,))",
        "torch.func.hessian(f)(x)",
        "torch.func.linearize(f, x)",
        "torch.func.functional_call(torch.nn.Linear(2, 2), {}, x)",
        "torch.vmap(torch.exp)(x)",
        "torch.autograd.forward_ad.dual_level().__enter__()",
        "torch.autograd.forward_ad.enter_dual_level()",
        "torch._C._enter_dual_level()",
        "torch._C._functorch._jvp_increment_nesting()",
        "torch._C._functorch._grad_increment_nesting()",
        "torch._C._functorch._vmap_increment_nesting(2, 'error')",
        "torch.compile(f)(x)",
    ],
)
def test_nothing_reaches_what_the_family_derivatives_bans(warm, call):
    deny = {"families": ["derivatives"], "forward_only": [], "functions": [], "modules": []}
    before = "import torch\nx = torch.ones(2, requires_grad=True)\nf = lambda x: (x**3).sum()\n"
    # The batched form of torch.autograd.grad is a vmap of another kind.
    right = (
        "g = torch.autograd.grad(f(x), x, create_graph=True)[0]\n"
        "rows = torch.autograd.grad(g, x, torch.eye(2), is_grads_batched=True)[0]\n"
        "assert rows.tolist() == [[6, 0], [0, 6]]\n"
    )
    assert warm.run_under(deny, before + right)["status"] == 0
    assert warm.run_under(deny, before + call)["status"] == 86


def test_an_unknown_family_is_a_fault_with_a_list(warm):
    result = warm.run("06", "", "bans.expand_families(['soft'])")
    assert result["status"] == 3
    assert "no family of operators is called 'soft'; there are add, attention" in result["output"]


@pytest.mark.full
@pytest.mark.attack
@pytest.mark.parametrize("family", ["softmax", "relu", "expand", "pointwise"])
def test_any_family_can_be_forward_only(warm, family):
    deny = {"families": [family], "forward_only": [family], "functions": [], "modules": []}
    calls = {
        "softmax": "torch.softmax(x, 0)",
        "relu": "torch.relu(x)",
        "expand": "x.expand(2, 3)",
        "pointwise": "x.exp()",
    }
    source = f"import torch\nx = torch.ones(3)\n{calls[family]}"
    assert warm.run_under(deny, "import torch\ntorch.ones(3)")["status"] == 0
    assert warm.run_under(deny, source)["status"] == 86


OPTIMIZERS = {"families": ["optimizer"], "forward_only": [], "functions": [], "modules": []}


@pytest.mark.attack
@pytest.mark.parametrize(
    "way",
    [
        "torch.optim.Adam([w], lr=0.1)",
        "torch.optim.AdamW([w])",
        "next(c for c in torch.optim.Optimizer.__subclasses__() if c.__name__ == 'Adam')([w])",
        "torch.optim.SGD.step(own)",
        "torch.optim.SGD.step.__wrapped__(own)",
        "torch.optim.Adam._init_group(own)",
        "from torch.optim.adam import adam; adam()",
        "from torch.optim.adam import _multi_tensor_adam; _multi_tensor_adam()",
        "torch.optim._functional.rmsprop()",
        "from torch.optim.rmsprop import _single_tensor_rmsprop; _single_tensor_rmsprop()",
        "torch._fused_sgd_([w], [w], [], weight_decay=0, momentum=0, lr=1, dampening=0,"
        " nesterov=False, maximize=False, is_first_step=True)",
    ],
)
def test_the_family_of_optimizers_closes_every_finished_one(warm, way):
    setup = "own = torch.optim.Optimizer([w], {'differentiable': False})"
    source = f"import torch\nw = torch.ones(3, requires_grad=True)\n{setup}\n{way}"
    result = warm.run_under(OPTIMIZERS, source)
    assert result["status"] == 86, result


@pytest.mark.attack
def test_the_family_of_optimizers_leaves_what_one_is_built_from(warm):
    source = """
import copy, io
import torch
w = torch.ones(3, requires_grad=True)
w.grad = torch.ones(3)
class Own(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            grads = [p.grad for p in group["params"]]
            torch._foreach_add_(group["params"], grads, alpha=-group["lr"])
            for p in group["params"]:
                self.state[p]["mean"] = torch.zeros(3).lerp_(p.grad, 0.5)
own = Own([w], 0.5)
own.step()
own.zero_grad()
file = io.BytesIO()
torch.save(own.state_dict(), file)
file.seek(0)
other = Own([torch.ones(3, requires_grad=True)], 1.0)
other.load_state_dict(copy.deepcopy(torch.load(file, weights_only=True)))
assert other.param_groups[0]["lr"] == 0.5
assert w.tolist() == [0.5, 0.5, 0.5]
"""
    result = warm.run_under(OPTIMIZERS, source)
    assert result["status"] == 0, result
