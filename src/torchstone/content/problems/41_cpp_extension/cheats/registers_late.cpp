// verdict: FORBIDDEN_OP
// en: The same without the macro: a library object is made in the middle of a call, for a namespace
//   whose name is put together at run time.
// zh: 同样的事，但不用宏：在调用途中构造 library 对象，命名空间的名字到运行时才拼出来。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <string>

using torch::stable::Tensor;
using torch::stable::detail::StableLibrary;

static bool equal(const Tensor&, const Tensor&) { return true; }

static Tensor add_constant(const Tensor& x, double) {
    const std::string name = std::string("at") + "en";
    static StableLibrary* const library =
        new StableLibrary(StableLibrary::Kind::IMPL, name.c_str(), "CPU", "", 0);
    static const bool is_done = (library->impl("equal", TORCH_BOX(&equal)), true);
    return is_done ? torch::stable::clone(x) : x;
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
