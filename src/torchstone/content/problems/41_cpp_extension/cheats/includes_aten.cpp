// verdict: CE
// en: Includes ATen, and with it every operator.
// zh: 包含 ATen，所有算子就都到手了。
#include <ATen/ATen.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

static Tensor add_constant(const Tensor& x, double c) {
    const at::Tensor& inner = reinterpret_cast<const at::Tensor&>(*x.get());
    return Tensor(reinterpret_cast<AtenTensorHandle>(new at::Tensor(inner.add(c))));
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
