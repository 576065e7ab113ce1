// Sums are made in a contiguous tensor, where places are easy; copy_ takes them to the layout that
// the result must have.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

template <typename T, typename Constant>
static void fill(const Tensor& sums, const Tensor& x, Constant c) {
    const T* const source = static_cast<const T*>(x.const_data_ptr());
    T* const target = static_cast<T*>(sums.mutable_data_ptr());
    std::transform(source, source + x.numel(), target,
                   [c](T v) { return static_cast<T>(static_cast<Constant>(v) + c); });
}

static bool holds_integers(const Tensor& x) {
    return x.scalar_type() == ScalarType::Int || x.scalar_type() == ScalarType::Long;
}

static Tensor make_result(const Tensor& x, double c) {
    const ScalarType dtype = x.scalar_type();
    STD_TORCH_CHECK(dtype == ScalarType::Float || dtype == ScalarType::Double ||
                        dtype == ScalarType::Half || dtype == ScalarType::BFloat16 ||
                        holds_integers(x),
                    "the dtype is not supported");
    if (holds_integers(x)) {
        STD_TORCH_CHECK(c > -9.2e18 && c < 9.2e18 && std::rint(c) == c, "not an int64: ", c);
    }
    return torch::stable::empty_like(x);
}

static Tensor add_constant(const Tensor& x, double c) {
    Tensor out = make_result(x, c);
    const Tensor source = torch::stable::contiguous(x);
    const Tensor sums = torch::stable::new_empty(x, x.sizes());
    switch (x.scalar_type()) {
        case ScalarType::Double: fill<double>(sums, source, c); break;
        case ScalarType::Float: fill<float>(sums, source, static_cast<float>(c)); break;
        case ScalarType::Half:
            fill<torch::headeronly::Half>(sums, source, static_cast<float>(c));
            break;
        case ScalarType::BFloat16:
            fill<torch::headeronly::BFloat16>(sums, source, static_cast<float>(c));
            break;
        case ScalarType::Int:
            // Sums modulo 2^64, and of these the lower half.
            fill<int32_t>(sums, source, static_cast<uint64_t>(static_cast<int64_t>(c)));
            break;
        default: fill<int64_t>(sums, source, static_cast<uint64_t>(static_cast<int64_t>(c)));
    }
    torch::stable::copy_(out, sums);
    return out;
}

static Tensor make_gradient(const Tensor& grad) { return torch::stable::empty_like(grad); }

static Tensor add_constant_backward(const Tensor& grad) {
    Tensor out = make_gradient(grad);
    torch::stable::copy_(out, grad);
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

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
    m.impl("add_constant", TORCH_BOX(&make_result));
    m.impl("add_constant_backward", TORCH_BOX(&make_gradient));
}
