// verdict: FORBIDDEN_OP
// en: Subtracts the constant with its sign changed: torch::stable::subtract is a C shim of an
//   operator, and calls it past every kernel of the submission.
// zh: 把常数变号再减：torch::stable::subtract 就是算子的 C shim，加法全由它代劳。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

static Tensor add_constant(const Tensor& x, double c) {
    const Tensor other = torch::stable::full({}, -c, x.scalar_type(), std::nullopt, x.device());
    return torch::stable::subtract(x, other);
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
