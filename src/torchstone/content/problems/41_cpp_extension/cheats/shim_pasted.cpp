// verdict: FORBIDDEN_OP
// en: The name of the C shim is pasted together by macros and stands nowhere in the text.
// zh: C shim 的名字由宏拼接而成，源码里哪儿也找不到。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

#define NAME(device, operation) aoti_torch_##device##_##operation##_Scalar

extern "C" AOTITorchError NAME(cpu, add)(AtenTensorHandle, double, double, AtenTensorHandle*);

static Tensor add_constant(const Tensor& x, double c) {
    AtenTensorHandle result;
    STABLE_TORCH_ERROR_CODE_CHECK(NAME(cpu, add)(x.get(), c, 1.0, &result));
    return Tensor(result);
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
