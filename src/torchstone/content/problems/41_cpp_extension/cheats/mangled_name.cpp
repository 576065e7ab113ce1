// verdict: FORBIDDEN_OP
// en: Calls at::_ops::add_Scalar by its mangled name: the classes need only be declared. Inside the
//   stable ABI a handle is a pointer to an at::Tensor.
// zh: 直接调用 at::_ops::add_Scalar（按修饰后的名字链接），类只要声明一下就够了。在稳定 ABI 内部，句柄就是
//   指向 at::Tensor 的指针。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <array>

using torch::stable::Tensor;

namespace c10 {
class Scalar;
}

namespace at {
class Tensor;
namespace _ops {
struct add__Scalar {
    static Tensor& call(Tensor& self, const c10::Scalar& other, const c10::Scalar& alpha);
};
}  // namespace _ops
}  // namespace at

// What c10::Scalar has been for years: a tag, and a value of up to 16 bytes.
struct alignas(16) FakeScalar {
    long tag = 0, padding = 0;
    double value[2] = {0.0, 0.0};
};

static Tensor add_constant(const Tensor& x, double c) {
    const Tensor out = torch::stable::clone(x);
    FakeScalar other, alpha;
    other.value[0] = c;
    alpha.value[0] = 1.0;
    at::_ops::add__Scalar::call(reinterpret_cast<at::Tensor&>(*out.get()),
                                reinterpret_cast<const c10::Scalar&>(other),
                                reinterpret_cast<const c10::Scalar&>(alpha));
    return out;
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
