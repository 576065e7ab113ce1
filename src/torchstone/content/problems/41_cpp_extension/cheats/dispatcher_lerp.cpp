// verdict: FORBIDDEN_OP
// en: lerp(x, e, w) = x + w (e - x) is an addition in disguise, without a Scalar among its
//   arguments: the middle between x and c, taken twice as far from 0.
// zh: lerp(x, e, w) = x + w (e - x) 是伪装的加法，参数里又没有 Scalar：先取 x 与 c 的中点，再从 0 出发走
//   两倍远。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <array>

using torch::stable::Tensor;
namespace stable = torch::stable::detail;

static Tensor like(const Tensor& x, double value) {
    Tensor filled = torch::stable::empty_like(x);
    return torch::stable::fill_(filled, value);
}

// Goes from x towards `end` by `weight`.
static Tensor lerp(const Tensor& x, const Tensor& end, double weight) {
    std::array<StableIValue, 3> stack{stable::from(x), stable::from(end),
                                      stable::from(like(x, weight))};
    STABLE_TORCH_ERROR_CODE_CHECK(
        torch_call_dispatcher("aten::lerp", "Tensor", stack.data(), TORCH_ABI_VERSION));
    return stable::to<Tensor>(stack[0]);
}

static Tensor add_constant(const Tensor& x, double c) {
    const Tensor middle = lerp(x, like(x, c), 0.5);
    return lerp(like(x, 0.0), middle, 2.0);
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
