// Every floating-point sum is made in double and rounded to float, then to the dtype. Dimensions
// that can be walked as one are merged first, so that dense tensors have a single loop.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace {

using torch::headeronly::BFloat16;
using torch::headeronly::Half;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

struct Wheel {
    int64_t size, read, write, index = 0;
};

// Lists the wheels from the innermost; a wheel that goes on where the one inside ends is part of it.
std::vector<Wheel> merge_dimensions(const Tensor& out, const Tensor& x) {
    std::vector<Wheel> wheels;
    for (int64_t dim = x.dim() - 1; dim >= 0; --dim) {
        const Wheel wheel{x.size(dim), x.stride(dim), out.stride(dim)};
        if (wheel.size == 1) {
            continue;
        }
        if (!wheels.empty()) {
            Wheel& inner = wheels.back();
            if (wheel.read == inner.read * inner.size && wheel.write == inner.write * inner.size) {
                inner.size *= wheel.size;
                continue;
            }
        }
        wheels.push_back(wheel);
    }
    return wheels;
}

template <typename T, typename Sum>
void add_each(const Tensor& out, const Tensor& x, Sum sum) {
    const T* source = static_cast<const T*>(x.const_data_ptr());
    T* target = static_cast<T*>(out.mutable_data_ptr());
    std::vector<Wheel> wheels = merge_dimensions(out, x);
    for (int64_t i = 0; i < x.numel(); ++i) {
        *target = sum(*source);
        for (Wheel& wheel : wheels) {
            source += wheel.read;
            target += wheel.write;
            if (++wheel.index < wheel.size) {
                break;
            }
            source -= wheel.read * wheel.size;
            target -= wheel.write * wheel.size;
            wheel.index = 0;
        }
    }
}

std::optional<int64_t> to_integer(double c) {
    if (!(c > -9.2e18 && c < 9.2e18)) {
        return std::nullopt;
    }
    const int64_t integer = static_cast<int64_t>(c);
    return static_cast<double>(integer) == c ? std::optional(integer) : std::nullopt;
}

Tensor meta(const Tensor& x, double c) {
    switch (x.scalar_type()) {
        case ScalarType::Float:
        case ScalarType::Double:
        case ScalarType::Half:
        case ScalarType::BFloat16: break;
        case ScalarType::Int:
        case ScalarType::Long:
            if (!to_integer(c)) {
                throw std::runtime_error("add_constant: this constant is no integer");
            }
            break;
        default: throw std::runtime_error("add_constant: this dtype is not supported");
    }
    return torch::stable::empty_like(x);
}

Tensor cpu(const Tensor& x, double c) {
    Tensor out = meta(x, c);
    const auto integer = static_cast<uint64_t>(to_integer(c).value_or(0));
    const auto wide = [c](auto v) { return static_cast<float>(static_cast<double>(v) + c); };
    switch (x.scalar_type()) {
        case ScalarType::Float: add_each<float>(out, x, wide); break;
        case ScalarType::Half: add_each<Half>(out, x, wide); break;
        case ScalarType::BFloat16: add_each<BFloat16>(out, x, wide); break;
        case ScalarType::Double:
            add_each<double>(out, x, [c](double v) { return v + c; });
            break;
        case ScalarType::Int:
            add_each<uint32_t>(out, x,
                               [integer](uint32_t v) { return static_cast<uint32_t>(v + integer); });
            break;
        default: add_each<uint64_t>(out, x, [integer](uint64_t v) { return v + integer; });
    }
    return out;
}

Tensor backward(const Tensor& grad) {
    Tensor copy = torch::stable::empty_like(grad);
    return torch::stable::copy_(copy, grad);
}

}  // namespace

STABLE_TORCH_LIBRARY(ts41, m) {
    m.def("add_constant(Tensor x, float c) -> Tensor").def("add_constant_backward(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(ts41, CPU, m) {
    m.impl("add_constant", TORCH_BOX(&cpu)).impl("add_constant_backward", TORCH_BOX(&backward));
}

STABLE_TORCH_LIBRARY_IMPL(ts41, Meta, m) {
    m.impl("add_constant", TORCH_BOX(&meta)).impl("add_constant_backward", TORCH_BOX(&backward));
}
