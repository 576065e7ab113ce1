// Shared by all files that register operators: types, parameters, row ranges, partial sums.
//
// Uses torch's stable ABI: a library built once runs with torch 2.10 and later. Schemas, fakes and
// gradients are in Python.
#pragma once

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <new>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels.h"

namespace torchstone {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using Maybe = std::optional<Tensor>;
using Operators = torch::stable::detail::StableLibrary;

// Each registers the kernels of its file; `register_all.cpp` calls them.
void register_attention(Operators& m);
void register_blocks(Operators& m);
void register_losses(Operators& m);
void register_norms(Operators& m);
void register_pointwise(Operators& m);

inline Type type_of(const Tensor& x) {
    switch (x.scalar_type()) {
        case ScalarType::Float: return Type::float32;
        case ScalarType::BFloat16: return Type::bfloat16;
        case ScalarType::Half: return Type::float16;
        case ScalarType::Double: return Type::float64;
        default: break;
    }
    STD_TORCH_CHECK(false, "torchstone: no kernel for ",
                    torch::headeronly::toString(x.scalar_type()));
}

inline bool is_double(const Tensor& x) { return x.scalar_type() == ScalarType::Double; }
inline ScalarType compute_dtype(const Tensor& x) {
    return is_double(x) ? ScalarType::Double : ScalarType::Float;
}

// Operators may be called without the functions that check arguments; memory accesses must stay
// within bounds nevertheless.
inline void require_like(const Tensor& x, const char* name, const Tensor& like) {
    STD_TORCH_CHECK(x.numel() == like.numel() && x.scalar_type() == like.scalar_type(),
                    "torchstone: ", name, " is of another size or dtype than what it goes with");
}

inline void require_numbers(const Tensor& x, const char* name, const Tensor& like, int64_t count) {
    const bool is_computed = x.scalar_type() == compute_dtype(like) && x.is_contiguous();
    STD_TORCH_CHECK(x.numel() == count && is_computed, "torchstone: ", name, " has not ", count,
                    " numbers of the computed dtype, one behind the other");
}

// A parameter in the compute type of the input: the tensor itself, a widened copy, or a constant if
// it is absent.
class Parameter {
public:
    Parameter(const Maybe& given, const Tensor& input, int64_t width,
              double otherwise) {
        STD_TORCH_CHECK(!given.has_value() || given->numel() == width,
                        "torchstone: a parameter has not ", width, " numbers");
        if (given.has_value() && given->scalar_type() == compute_dtype(input)) {
            held_ = torch::stable::contiguous(*given);
            data_ = held_->const_data_ptr();
            return;
        }
        if (is_double(input)) {
            doubles_.assign(width, otherwise);
            data_ = doubles_.data();
        } else {
            floats_.assign(width, static_cast<float>(otherwise));
            data_ = floats_.data();
            if (given.has_value()) {
                const Tensor dense = torch::stable::contiguous(*given);
                kernels().widen(type_of(dense), dense.const_data_ptr(), floats_.data(), width);
            }
        }
    }

    const void* data() const { return data_; }

private:
    Maybe held_;
    std::vector<float> floats_;
    std::vector<double> doubles_;
    const void* data_;
};

// Workspace of a thread, aligned to a cache line.
class Memory {
public:
    explicit Memory(int64_t bytes) : bytes_(::operator new(bytes, align)) {}
    ~Memory() { ::operator delete(bytes_, align); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* get() const { return bytes_; }

private:
    static constexpr std::align_val_t align{64};
    void* bytes_;
};

struct Shape {
    int64_t rows, width;
};

inline Shape shape_of(const Tensor& input, int64_t num_dims) {
    Shape shape{1, 1};
    for (int64_t dim = 0; dim < input.dim(); dim++) {
        (dim < input.dim() - num_dims ? shape.rows : shape.width) *= input.size(dim);
    }
    return shape;
}

// Minimum number of rows per thread that is worth the scheduling overhead.
inline int64_t grain_of(const Shape& shape) {
    return std::max<int64_t>(1, (int64_t{1} << 15) / std::max<int64_t>(1, shape.width));
}

// If inputs and output together exceed half of the largest cache, which is shared with others, the
// output is written with non-temporal stores: most of it would be evicted before it is read, and
// would evict the inputs.
inline bool is_streamed(const Tensor& out, int64_t num_tensors) {
    const int64_t bytes = out.numel() * static_cast<int64_t>(out.element_size());
    return 2 * num_tensors * bytes > cache_bytes();
}

inline Tensor dense_like(const Tensor& input) {
    const auto sizes = input.sizes();
    return torch::stable::new_empty(input, {sizes.begin(), sizes.end()});
}

// Number of rows whose contributions are added sequentially. The sums of such parts are added as a
// tree. Neither depends on the number of threads.
inline int64_t rows_of_part(int64_t rows) { return std::clamp<int64_t>((rows + 63) / 64, 16, 256); }

template <typename Number>
class Partials {
public:
    Partials(int64_t count, int64_t width) : count_(count), width_(width), sums_(count * width) {}

    Number* part(int64_t index) { return sums_.data() + index * width_; }

    const Number* total() {
        for (int64_t step = 1; step < count_; step *= 2) {
            for (int64_t index = 0; index + step < count_; index += 2 * step) {
                Number* const to = part(index);
                const Number* const from = part(index + step);
                for (int64_t i = 0; i < width_; i++) {
                    to[i] += from[i];
                }
            }
        }
        return part(0);
    }

private:
    int64_t count_, width_;
    std::vector<Number> sums_;
};

// Computes parts of the rows in several threads, each with separate sums, and writes the totals to
// one or two tensors of row size; `run(first, last, sums)` adds its contribution to `totals[i]` to
// `sums[i]`; a null entry is not computed.
template <typename Number, typename Run>
void sum_over_parts(const Shape& shape, std::initializer_list<Tensor*> totals, Run run) {
    const int64_t height = rows_of_part(shape.rows);
    const int64_t count = (shape.rows + height - 1) / height;
    std::vector<Partials<Number>> partials(totals.size(), {count, shape.width});
    torch::stable::parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
        for (int64_t part = first; part < last; part++) {
            Number* sums[2] = {};
            for (size_t index = 0; index < partials.size(); index++) {
                sums[index] = partials[index].part(part);
            }
            run(part * height, std::min(shape.rows, (part + 1) * height), sums);
        }
    });
    size_t index = 0;
    for (Tensor* const total : totals) {
        kernels().narrow(type_of(*total), partials[index++].total(), total->mutable_data_ptr(),
                         shape.width);
    }
}

}  // namespace torchstone
