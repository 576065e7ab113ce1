#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cstdint>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Returns x + c in new memory that is laid out as torch.empty_like(x) lays it out.
static Tensor add_constant(const Tensor& x, double c) {
    STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "add_constant: float32 only, for now");
    Tensor out = torch::stable::empty_like(x);
    STD_TORCH_CHECK(false, "add_constant: not written yet");  // Write it here.
    return out;
}

// Returns the gradient with respect to x: a new tensor equal to grad.
static Tensor add_constant_backward(const Tensor& grad) {
    Tensor out = torch::stable::empty_like(grad);
    STD_TORCH_CHECK(false, "add_constant_backward: not written yet");  // Write it here.
    return out;
}

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}

// And on Meta?
