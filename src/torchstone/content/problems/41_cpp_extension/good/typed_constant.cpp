// Two types are all that tells one dtype from another: that of the elements, and that of the
// constant, in which the sum is made. A clone is changed in place.
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
    const ScalarType dtype = x.scalar_type();
    const bool is_integer = dtype == ScalarType::Int || dtype == ScalarType::Long;
    STD_TORCH_CHECK(is_integer || dtype == ScalarType::Float || dtype == ScalarType::Double ||
                        dtype == ScalarType::Half || dtype == ScalarType::BFloat16,
                    "add_constant: this dtype is not supported");
    STD_TORCH_CHECK(!is_integer || (std::abs(c) < 9.2e18 && c == std::trunc(c)),
                    "add_constant: integers need an integral constant, got ", c);
}

// A clone is dense: its elements lie one after the other.
template <typename T, typename Constant>
static void add_to_each(const Tensor& out, Constant c) {
    T* const data = static_cast<T*>(out.mutable_data_ptr());
    const int64_t n = out.numel();
    for (int64_t i = 0; i < n; ++i) {
        data[i] = static_cast<T>(static_cast<Constant>(data[i]) + c);
    }
}

static void add_in_place(const Tensor& out, double c) {
    const float narrow = static_cast<float>(c);
    switch (out.scalar_type()) {
        case ScalarType::Float: return add_to_each<float>(out, narrow);
        case ScalarType::Double: return add_to_each<double>(out, c);
        case ScalarType::Half: return add_to_each<Half>(out, narrow);
        case ScalarType::BFloat16: return add_to_each<BFloat16>(out, narrow);
        case ScalarType::Int: return add_to_each<int32_t>(out, static_cast<int64_t>(c));
        default: return add_to_each<int64_t>(out, static_cast<uint64_t>(static_cast<int64_t>(c)));
    }
}

static Tensor add_constant_cpu(const Tensor& x, double c) {
    check(x, c);
    const Tensor out = torch::stable::clone(x);
    add_in_place(out, c);
    return out;
}

static Tensor add_constant_meta(const Tensor& x, double c) {
    check(x, c);
    return torch::stable::empty_like(x);
}

static Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant_cpu));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant_meta));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}
