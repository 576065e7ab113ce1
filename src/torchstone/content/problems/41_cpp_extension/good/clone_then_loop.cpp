// A clone of any tensor is dense: numel elements at as many consecutive addresses, in whatever
// order. An elementwise operator may change them one after the other, in place.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cmath>
#include <cstdint>

using torch::headeronly::BFloat16;
using torch::headeronly::Half;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

static void check(const Tensor& x, double c) {
    switch (x.scalar_type()) {
        case ScalarType::Float:
        case ScalarType::Double:
        case ScalarType::Half:
        case ScalarType::BFloat16: return;
        case ScalarType::Int:
        case ScalarType::Long:
            STD_TORCH_CHECK(std::fabs(c) < 9.2e18, "the constant is too large: ", c);
            STD_TORCH_CHECK(std::floor(c) == c, "the constant is not integral: ", c);
            return;
        default: STD_TORCH_CHECK(false, "the dtype is not supported");
    }
}

template <typename T, typename Sum>
static void replace_each(const Tensor& out, Sum sum) {
    T* const data = static_cast<T*>(out.mutable_data_ptr());
    const int64_t n = out.numel();
    for (int64_t i = 0; i < n; ++i) {
        data[i] = sum(data[i]);
    }
}

static Tensor on_cpu(const Tensor& x, double c) {
    check(x, c);
    const Tensor out = torch::stable::clone(x);
    const float narrow = static_cast<float>(c);
    switch (x.scalar_type()) {
        case ScalarType::Float:
            replace_each<float>(out, [=](float v) { return v + narrow; });
            break;
        case ScalarType::Double:
            replace_each<double>(out, [=](double v) { return v + c; });
            break;
        case ScalarType::Half:
            replace_each<Half>(out, [=](Half v) { return Half(static_cast<float>(v) + narrow); });
            break;
        case ScalarType::BFloat16:
            replace_each<BFloat16>(
                out, [=](BFloat16 v) { return BFloat16(static_cast<float>(v) + narrow); });
            break;
        case ScalarType::Int:
            replace_each<uint32_t>(out, [=](uint32_t v) {
                return v + static_cast<uint32_t>(static_cast<int64_t>(c));
            });
            break;
        default:
            replace_each<uint64_t>(out, [=](uint64_t v) {
                return v + static_cast<uint64_t>(static_cast<int64_t>(c));
            });
    }
    return out;
}

static Tensor on_meta(const Tensor& x, double c) {
    check(x, c);
    return torch::stable::empty_like(x);
}

static Tensor backward(const Tensor& grad) { return torch::stable::clone(grad); }

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
    m.impl("add_constant", TORCH_BOX(&on_cpu));
    m.impl("add_constant_backward", TORCH_BOX(&backward));
}

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
    m.impl("add_constant", TORCH_BOX(&on_meta));
    m.impl("add_constant_backward", TORCH_BOX(&backward));
}
