#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

bool is_integer(ScalarType dtype) { return dtype == ScalarType::Int || dtype == ScalarType::Long; }

bool is_supported(ScalarType dtype) {
    return is_integer(dtype) || dtype == ScalarType::Float || dtype == ScalarType::Double ||
           dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
}

// Everything that may refuse a call. Both kernels begin here, so that Meta promises what CPU does.
void check(const Tensor& x, double c) {
    STD_TORCH_CHECK(is_supported(x.scalar_type()), "add_constant: no kernel for ",
                    torch::headeronly::toString(x.scalar_type()));
    if (is_integer(x.scalar_type())) {
        // Beyond 2^63 the conversion is undefined. NaN < 9.2e18 is false, so NaN is refused, too.
        STD_TORCH_CHECK(std::abs(c) < 9.2e18 && c == std::trunc(c),
                        "add_constant: an integer tensor needs an integral constant, got ", c);
    }
}

// Adds the constant in the arithmetic of one dtype.
template <typename T>
struct Plus {
    // Half types are computed in float and rounded once.
    using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Compute c;

    explicit Plus(double constant) : c(static_cast<Compute>(constant)) {}
    T operator()(T x) const { return static_cast<T>(static_cast<Compute>(x) + c); }
};

// Unsigned numbers wrap; that signed ones overflow is undefined.
template <typename T>
    requires std::is_integral_v<T>
struct Plus<T> {
    using Unsigned = std::make_unsigned_t<T>;
    Unsigned c;

    explicit Plus(double constant) : c(static_cast<Unsigned>(static_cast<int64_t>(constant))) {}
    T operator()(T x) const { return static_cast<T>(static_cast<Unsigned>(x) + c); }
};

// Walks over both tensors like an odometer: the last wheel turns, and where it has gone round it is
// set back and the one before it moves on. The places are counted in elements from data_ptr.
template <typename T>
void add_into(const Tensor& out, const Tensor& x, double c) {
    const auto sizes = x.sizes(), from = x.strides(), to = out.strides();
    const T* const source = static_cast<const T*>(x.const_data_ptr());
    T* const target = static_cast<T*>(out.mutable_data_ptr());
    const Plus<T> plus(c);
    std::vector<int64_t> index(sizes.size(), 0);
    int64_t read = 0, write = 0;
    for (int64_t left = x.numel(); left > 0; --left) {
        target[write] = plus(source[read]);
        for (size_t dim = sizes.size(); dim-- > 0;) {
            read += from[dim];
            write += to[dim];
            if (++index[dim] < sizes[dim]) {
                break;
            }
            read -= from[dim] * sizes[dim];
            write -= to[dim] * sizes[dim];
            index[dim] = 0;
        }
    }
}

Tensor add_constant_meta(const Tensor& x, double c) {
    check(x, c);
    return torch::stable::empty_like(x);
}

Tensor add_constant_cpu(const Tensor& x, double c) {
    const Tensor out = add_constant_meta(x, c);
    switch (x.scalar_type()) {
        case ScalarType::Float: add_into<float>(out, x, c); break;
        case ScalarType::Double: add_into<double>(out, x, c); break;
        case ScalarType::Half: add_into<torch::headeronly::Half>(out, x, c); break;
        case ScalarType::BFloat16: add_into<torch::headeronly::BFloat16>(out, x, c); break;
        case ScalarType::Int: add_into<int32_t>(out, x, c); break;
        default: add_into<int64_t>(out, x, c); break;
    }
    return out;
}

// The schema promises new memory: a copy, never grad itself. `clone` serves every device.
Tensor add_constant_backward(const Tensor& grad) { return torch::stable::clone(grad); }

}  // namespace

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
