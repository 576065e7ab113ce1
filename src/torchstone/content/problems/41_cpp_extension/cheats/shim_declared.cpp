// verdict: FORBIDDEN_OP
// en: Declares a C shim that libtorch_cpu exports and no header of the stable ABI offers.
// zh: 自行声明 libtorch_cpu 导出、稳定 ABI 头文件里却没有的 C shim。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

extern "C" AOTITorchError aoti_torch_cpu_add_Scalar(AtenTensorHandle self, double other,
                                                    double alpha, AtenTensorHandle* result);

static Tensor add_constant(const Tensor& x, double c) {
    AtenTensorHandle result;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_add_Scalar(x.get(), c, 1.0, &result));
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
