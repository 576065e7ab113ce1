// verdict: WA value
// group: layout
// en: data_ptr already contains the storage offset; adding it once more reads other elements.
// zh: data_ptr 已经包含 storage_offset，再加一次就读到别的元素上去了。
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <cmath>
#include <cstdint>
#include <vector>

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

// Walks over both tensors, the last dimension first.
template <typename T, typename Constant>
static void add_into(const Tensor& out, const Tensor& x, Constant c) {
    const T* const source = static_cast<const T*>(x.const_data_ptr());
    T* const target = static_cast<T*>(out.mutable_data_ptr());
    std::vector<int64_t> index(x.dim(), 0);
    int64_t read = x.storage_offset(), write = out.storage_offset();
    for (int64_t left = x.numel(); left > 0; --left) {
        target[write] = static_cast<T>(static_cast<Constant>(source[read]) + c);
        for (int64_t dim = x.dim() - 1; dim >= 0; --dim) {
            read += x.stride(dim);
            write += out.stride(dim);
            if (++index[dim] < x.size(dim)) {
                break;
            }
            read -= x.stride(dim) * x.size(dim);
            write -= out.stride(dim) * x.size(dim);
            index[dim] = 0;
        }
    }
}

static void add_any(const Tensor& out, const Tensor& x, double c) {
    const float narrow = static_cast<float>(c);
    switch (x.scalar_type()) {
        case ScalarType::Float: return add_into<float>(out, x, narrow);
        case ScalarType::Double: return add_into<double>(out, x, c);
        case ScalarType::Half: return add_into<Half>(out, x, narrow);
        case ScalarType::BFloat16: return add_into<BFloat16>(out, x, narrow);
        case ScalarType::Int: return add_into<int32_t>(out, x, static_cast<int64_t>(c));
        default: return add_into<int64_t>(out, x, static_cast<uint64_t>(static_cast<int64_t>(c)));
    }
}

static Tensor add_constant_cpu(const Tensor& x, double c) {
    check(x, c);
    const Tensor out = torch::stable::empty_like(x);
    add_any(out, x, c);
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
