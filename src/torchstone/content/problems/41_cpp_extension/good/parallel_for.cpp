// Threads share the elements; whoever begins in the middle works out from the number of its first
// element where that lies in either tensor. Types come from THO_DISPATCH_V2.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Fewer elements are not worth a thread.
constexpr int64_t grain_size = 4096;

// Gives the place of the i-th element, counted as if the tensor were contiguous.
struct Places {
    torch::headeronly::IntHeaderOnlyArrayRef sizes, strides;

    int64_t operator()(int64_t i) const {
        int64_t place = 0;
        for (size_t dim = sizes.size(); dim-- > 0; i /= sizes[dim]) {
            place += i % sizes[dim] * strides[dim];
        }
        return place;
    }
};

template <typename T>
void fill(const Tensor& out, const Tensor& x, double c) {
    using Compute = std::conditional_t<
        std::is_same_v<T, double>, double,
        std::conditional_t<std::is_integral_v<T>, uint64_t, float>>;
    Compute constant;
    if constexpr (std::is_integral_v<T>) {
        constant = static_cast<uint64_t>(static_cast<int64_t>(c));
    } else {
        constant = static_cast<Compute>(c);
    }
    const T* const source = static_cast<const T*>(x.const_data_ptr());
    T* const target = static_cast<T*>(out.mutable_data_ptr());
    const Places from{x.sizes(), x.strides()}, to{x.sizes(), out.strides()};
    torch::stable::parallel_for(0, x.numel(), grain_size, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            target[to(i)] = static_cast<T>(static_cast<Compute>(source[from(i)]) + constant);
        }
    });
}

Tensor prepare(const Tensor& x, double c) {
    THO_DISPATCH_V2(
        x.scalar_type(), "add_constant", AT_WRAP([&] {
            if constexpr (std::is_integral_v<scalar_t>) {
                STD_TORCH_CHECK(std::abs(c) < 9.2e18 && c == std::nearbyint(c),
                                "add_constant: ", c, " is not an integer of 64 bits");
            }
        }),
        ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16,
        ScalarType::Int, ScalarType::Long);
    return torch::stable::empty_like(x);
}

Tensor compute(const Tensor& x, double c) {
    const Tensor out = prepare(x, c);
    THO_DISPATCH_V2(
        x.scalar_type(), "add_constant", AT_WRAP([&] { fill<scalar_t>(out, x, c); }),
        ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16,
        ScalarType::Int, ScalarType::Long);
    return out;
}

Tensor copy(const Tensor& grad) { return torch::stable::clone(grad); }

}  // namespace

STABLE_TORCH_LIBRARY(ts41, library) {
    library.def("add_constant(Tensor x, float c) -> Tensor");
    library.def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, library) { library.impl("add_constant", TORCH_BOX(&compute)); }

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, library) { library.impl("add_constant", TORCH_BOX(&prepare)); }

STABLE_TORCH_LIBRARY_IMPL(ts41, CompositeExplicitAutograd, library) {
    library.impl("add_constant_backward", TORCH_BOX(&copy));
}
