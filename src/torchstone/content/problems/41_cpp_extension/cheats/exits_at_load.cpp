// verdict: FORBIDDEN_OP
// en: A static initialiser ends the process while the library is loaded, with the exit status of
//   success.
// zh: 静态初始化时就结束进程：库正在加载，退出状态却是“成功”。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

extern "C" [[noreturn]] void _exit(int status);

namespace {
struct Exit {
    Exit() { _exit(0); }
} const at_once;
}  // namespace

static Tensor add_constant(const Tensor& x, double) { return torch::stable::clone(x); }

static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CompositeExplicitAutograd, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}
