// The operators of namespace `torchstone` on the CPU, against torch's stable ABI: a library that is
// built once runs with torch 2.10 and later. Schemas, fakes and gradients stand in Python.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels.h"

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using namespace torchstone;

Type type_of(const Tensor& x) {
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

bool is_double(const Tensor& x) { return x.scalar_type() == ScalarType::Double; }
ScalarType compute_dtype(const Tensor& x) {
    return is_double(x) ? ScalarType::Double : ScalarType::Float;
}

// A parameter in the arithmetic of the input: itself, or a copy that is widened; a constant where
// there is none.
class Parameter {
public:
    Parameter(const std::optional<Tensor>& given, const Tensor& input, int64_t width,
              double otherwise) {
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
    std::optional<Tensor> held_;
    std::vector<float> floats_;
    std::vector<double> doubles_;
    const void* data_;
};

struct Shape {
    int64_t rows, width;
};

Shape shape_of(const Tensor& input, int64_t num_dims) {
    Shape shape{1, 1};
    for (int64_t dim = 0; dim < input.dim(); dim++) {
        (dim < input.dim() - num_dims ? shape.rows : shape.width) *= input.size(dim);
    }
    return shape;
}

// Rows for a thread: enough that handing them over is worth it.
int64_t grain_of(const Shape& shape) {
    return std::max<int64_t>(1, (int64_t{1} << 15) / std::max<int64_t>(1, shape.width));
}

// Where inputs and output together are more than the largest cache holds, the output is written
// past it: it would be gone before anybody reads it, and would drive out what is read.
bool is_streamed(const Tensor& out, int64_t num_tensors) {
    const int64_t bytes = out.numel() * static_cast<int64_t>(out.element_size());
    return num_tensors * bytes > cache_bytes();
}

Tensor statistics_like(const Tensor& input, int64_t num_dims) {
    std::vector<int64_t> sizes;
    for (int64_t dim = 0; dim < input.dim(); dim++) {
        sizes.push_back(dim < input.dim() - num_dims ? input.size(dim) : 1);
    }
    return torch::stable::new_empty(input, sizes, compute_dtype(input));
}

Tensor dense_like(const Tensor& input) {
    const auto sizes = input.sizes();
    return torch::stable::new_empty(input, {sizes.begin(), sizes.end()});
}

struct Normalised {
    Tensor out, sum, mean, rstd;
};

Normalised normalise(bool has_mean, const Tensor& input, const std::optional<Tensor>& residual,
                     const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                     int64_t num_dims, double eps) {
    const Shape shape = shape_of(input, num_dims);
    const Tensor dense = torch::stable::contiguous(input);
    const Tensor other = residual.has_value() ? torch::stable::contiguous(*residual) : dense;
    Tensor out = dense_like(input), sum = residual.has_value() ? dense_like(input) : out;
    Tensor rstd = statistics_like(input, num_dims);
    Tensor mean = has_mean ? statistics_like(input, num_dims) : rstd;
    if (shape.rows * shape.width > 0) {
        const Parameter w(weight, input, shape.width, 1.0), b(bias, input, shape.width, 0.0);
        const Norm it{
            .type = type_of(input),
            .has_mean = has_mean,
            .input = dense.const_data_ptr(),
            .residual = residual.has_value() ? other.const_data_ptr() : nullptr,
            .weight = w.data(),
            .bias = b.data(),
            .sum = residual.has_value() ? sum.mutable_data_ptr() : nullptr,
            .out = out.mutable_data_ptr(),
            .mean = has_mean ? mean.mutable_data_ptr() : nullptr,
            .rstd = rstd.mutable_data_ptr(),
            .width = shape.width,
            .eps = eps,
            .streams = is_streamed(out, residual.has_value() ? 4 : 2),
        };
        torch::stable::parallel_for(
            0, shape.rows, grain_of(shape),
            [&](int64_t first, int64_t last) { kernels().norm(it, first, last); });
    }
    return {out, sum, mean, rstd};
}

// The rows whose contributions are added one after the other. The sums of such parts are added as
// the leaves of a tree. Nothing of this depends on the number of threads.
int64_t rows_of_part(int64_t rows) { return std::clamp<int64_t>((rows + 63) / 64, 16, 256); }

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

template <typename Number>
void run_backward(const NormBackward& it, const Shape& shape, Tensor* grad_weight,
                  Tensor* grad_bias) {
    if (grad_weight == nullptr) {
        torch::stable::parallel_for(0, shape.rows, grain_of(shape),
                                    [&](int64_t first, int64_t last) {
                                        kernels().norm_backward(it, first, last, nullptr, nullptr);
                                    });
        return;
    }
    const int64_t height = rows_of_part(shape.rows);
    const int64_t count = (shape.rows + height - 1) / height;
    Partials<Number> of_weight(count, shape.width), of_bias(it.has_mean ? count : 1, shape.width);
    torch::stable::parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
        for (int64_t part = first; part < last; part++) {
            kernels().norm_backward(it, part * height, std::min(shape.rows, (part + 1) * height),
                                    of_weight.part(part), of_bias.part(it.has_mean ? part : 0));
        }
    });
    kernels().narrow(type_of(*grad_weight), of_weight.total(), grad_weight->mutable_data_ptr(),
                     shape.width);
    if (it.has_mean) {
        kernels().narrow(type_of(*grad_bias), of_bias.total(), grad_bias->mutable_data_ptr(),
                         shape.width);
    }
}

struct Gradients {
    Tensor input, weight, bias;
};

Gradients differentiate(bool has_mean, const Tensor& grad, const std::optional<Tensor>& grad_sum,
                        const Tensor& input, const Tensor& mean, const Tensor& rstd,
                        const std::optional<Tensor>& weight, int64_t num_dims,
                        bool has_parameters) {
    const Shape shape = shape_of(input, num_dims);
    const Tensor dense_grad = torch::stable::contiguous(grad);
    const Tensor dense = torch::stable::contiguous(input);
    const Tensor other = grad_sum.has_value() ? torch::stable::contiguous(*grad_sum) : dense;
    Tensor grad_input = dense_like(input);
    std::vector<int64_t> sizes;
    for (int64_t dim = input.dim() - num_dims; has_parameters && dim < input.dim(); dim++) {
        sizes.push_back(input.size(dim));
    }
    if (!has_parameters) {
        sizes.push_back(0);
    }
    // Parameters have a dtype of their own; without a weight it is the input's.
    const ScalarType dtype = weight.has_value() ? weight->scalar_type() : input.scalar_type();
    Tensor grad_weight = torch::stable::new_zeros(input, sizes, dtype);
    Tensor grad_bias = has_mean ? torch::stable::new_zeros(input, sizes, dtype) : grad_weight;
    if (shape.rows * shape.width > 0) {
        const Parameter w(weight, input, shape.width, 1.0);
        const NormBackward it{
            .type = type_of(input),
            .has_mean = has_mean,
            .grad = dense_grad.const_data_ptr(),
            .grad_sum = grad_sum.has_value() ? other.const_data_ptr() : nullptr,
            .input = dense.const_data_ptr(),
            .weight = w.data(),
            .mean = mean.const_data_ptr(),
            .rstd = rstd.const_data_ptr(),
            .grad_input = grad_input.mutable_data_ptr(),
            .width = shape.width,
            .streams = is_streamed(grad_input, grad_sum.has_value() ? 4 : 3),
        };
        Tensor* const of_weight = has_parameters ? &grad_weight : nullptr;
        Tensor* const of_bias = has_parameters ? &grad_bias : nullptr;
        if (is_double(input)) {
            run_backward<double>(it, shape, of_weight, of_bias);
        } else {
            run_backward<float>(it, shape, of_weight, of_bias);
        }
    }
    return {grad_input, grad_weight, grad_bias};
}

using Maybe = std::optional<Tensor>;

std::tuple<Tensor, Tensor, Tensor> layer_norm(const Tensor& input, const Maybe& weight,
                                              const Maybe& bias, int64_t num_dims, double eps) {
    const Normalised it = normalise(true, input, {}, weight, bias, num_dims, eps);
    return {it.out, it.mean, it.rstd};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> add_layer_norm(const Tensor& input,
                                                          const Tensor& residual,
                                                          const Maybe& weight, const Maybe& bias,
                                                          int64_t num_dims, double eps) {
    const Normalised it = normalise(true, input, residual, weight, bias, num_dims, eps);
    return {it.out, it.sum, it.mean, it.rstd};
}

std::tuple<Tensor, Tensor> rms_norm(const Tensor& input, const Maybe& weight, int64_t num_dims,
                                    double eps) {
    const Normalised it = normalise(false, input, {}, weight, {}, num_dims, eps);
    return {it.out, it.rstd};
}

std::tuple<Tensor, Tensor, Tensor> add_rms_norm(const Tensor& input, const Tensor& residual,
                                                const Maybe& weight, int64_t num_dims,
                                                double eps) {
    const Normalised it = normalise(false, input, residual, weight, {}, num_dims, eps);
    return {it.out, it.sum, it.rstd};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Maybe& grad_sum,
                                                       const Tensor& input, const Tensor& mean,
                                                       const Tensor& rstd, const Maybe& weight,
                                                       int64_t num_dims, bool has_parameters) {
    const Gradients it = differentiate(true, grad, grad_sum, input, mean, rstd, weight, num_dims,
                                       has_parameters);
    return {it.input, it.weight, it.bias};
}

std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Maybe& grad_sum,
                                             const Tensor& input, const Tensor& rstd,
                                             const Maybe& weight, int64_t num_dims,
                                             bool has_parameters) {
    const Gradients it = differentiate(false, grad, grad_sum, input, rstd, rstd, weight, num_dims,
                                       has_parameters);
    return {it.input, it.weight};
}

}  // namespace

STABLE_TORCH_LIBRARY_IMPL(torchstone, CPU, m) {
    m.impl("layer_norm", TORCH_BOX(&layer_norm));
    m.impl("add_layer_norm", TORCH_BOX(&add_layer_norm));
    m.impl("rms_norm", TORCH_BOX(&rms_norm));
    m.impl("add_rms_norm", TORCH_BOX(&add_rms_norm));
    m.impl("layer_norm_backward", TORCH_BOX(&layer_norm_backward));
    m.impl("rms_norm_backward", TORCH_BOX(&rms_norm_backward));
}
