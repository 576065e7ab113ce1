// verdict: RTE | FORBIDDEN_OP
// en: Has torch add: the dispatcher is asked for aten::add by name. (Up to torch 2.13 a Scalar, as
//   alpha is one, cannot pass the stable ABI, so the call fails before it is forbidden.)
// zh: 让 torch 来加：按名字向 dispatcher 要 aten::add。（到 torch 2.13 为止，alpha 这样的 Scalar 过不了
//   稳定 ABI，调用在被禁止之前就失败了。）
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <array>

using torch::stable::Tensor;
namespace stable = torch::stable::detail;

static Tensor add_constant(const Tensor& x, double c) {
    const Tensor other = torch::stable::full({}, c, x.scalar_type(), std::nullopt, x.device());
    std::array<StableIValue, 3> stack{stable::from(x), stable::from(other), stable::from(1.0)};
    STABLE_TORCH_ERROR_CODE_CHECK(
        torch_call_dispatcher("aten::add", "Tensor", stack.data(), TORCH_ABI_VERSION));
    return stable::to<Tensor>(stack[0]);
}

static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CompositeExplicitAutograd, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}
