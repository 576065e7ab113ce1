// verdict: FORBIDDEN_OP
// en: Asks the loader for the address of the C shim at run time, under a name that is put together
//   from pieces.
// zh: 运行时向动态加载器要 C shim 的地址，名字由几段拼成。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <string>

using torch::stable::Tensor;

extern "C" void* dlsym(void* handle, const char* name);

using Shim = AOTITorchError (*)(AtenTensorHandle, double, double, AtenTensorHandle*);

static Tensor add_constant(const Tensor& x, double c) {
    const std::string name = std::string("aoti_torch_") + "cpu_" + "add_Scalar";
    const auto shim = reinterpret_cast<Shim>(dlsym(nullptr, name.c_str()));
    AtenTensorHandle result;
    STABLE_TORCH_ERROR_CODE_CHECK(shim(x.get(), c, 1.0, &result));
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
