// One function walks through one dimension and calls itself for the next; a tensor without
// dimensions is where it ends. The backward walks as the forward does, with nothing to add.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

template <typename T>
T sum(T x, double c) {
    if constexpr (std::is_same_v<T, double>) {
        return x + c;
    } else if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(x) +
                              static_cast<Unsigned>(static_cast<int64_t>(c)));
    } else {
        return static_cast<T>(static_cast<float>(x) + static_cast<float>(c));
    }
}

template <typename F>
struct Walk {
    torch::headeronly::IntHeaderOnlyArrayRef sizes, from, to;
    F visit;

    void operator()(size_t dim, int64_t read, int64_t write) const {
        if (dim == sizes.size()) {
            visit(read, write);
            return;
        }
        for (int64_t i = 0; i < sizes[dim]; ++i) {
            (*this)(dim + 1, read + i * from[dim], write + i * to[dim]);
        }
    }
};

template <typename T, typename F>
void map_into(const Tensor& out, const Tensor& x, F f) {
    const T* const source = static_cast<const T*>(x.const_data_ptr());
    T* const target = static_cast<T*>(out.mutable_data_ptr());
    const auto visit = [=](int64_t read, int64_t write) { target[write] = f(source[read]); };
    Walk<decltype(visit)>{x.sizes(), x.strides(), out.strides(), visit}(0, 0, 0);
}

// Calls `f` with a value of the C++ type that belongs to a dtype.
template <typename F>
void with_type(ScalarType dtype, F f) {
    switch (dtype) {
        case ScalarType::Float: return f(float{});
        case ScalarType::Double: return f(double{});
        case ScalarType::Half: return f(torch::headeronly::Half{});
        case ScalarType::BFloat16: return f(torch::headeronly::BFloat16{});
        case ScalarType::Int: return f(int32_t{});
        case ScalarType::Long: return f(int64_t{});
        default: STD_TORCH_CHECK(false, "not a dtype of this operator");
    }
}

Tensor forward_meta(const Tensor& x, double c) {
    with_type(x.scalar_type(), [c](auto zero) {
        if constexpr (std::is_integral_v<decltype(zero)>) {
            STD_TORCH_CHECK(std::isfinite(c) && std::fabs(c) < 9.2e18 && std::fmod(c, 1.0) == 0.0,
                            "integers need an integral constant");
        }
    });
    return torch::stable::empty_like(x);
}

Tensor forward(const Tensor& x, double c) {
    const Tensor out = forward_meta(x, c);
    with_type(x.scalar_type(), [&](auto zero) {
        using T = decltype(zero);
        map_into<T>(out, x, [c](T v) { return sum(v, c); });
    });
    return out;
}

Tensor backward_meta(const Tensor& grad) { return torch::stable::empty_like(grad); }

Tensor backward(const Tensor& grad) {
    const Tensor out = backward_meta(grad);
    with_type(grad.scalar_type(), [&](auto zero) {
        using T = decltype(zero);
        map_into<T>(out, grad, [](T v) { return v; });
    });
    return out;
}

}  // namespace

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor");
    m.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
    m.impl("add_constant", TORCH_BOX(&forward));
    m.impl("add_constant_backward", TORCH_BOX(&backward));
}

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
    m.impl("add_constant", TORCH_BOX(&forward_meta));
    m.impl("add_constant_backward", TORCH_BOX(&backward_meta));
}
