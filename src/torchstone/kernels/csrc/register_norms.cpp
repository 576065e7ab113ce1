// The norms on the CPU.
#include "operators.h"

namespace {

using namespace torchstone;

Tensor statistics_like(const Tensor& input, int64_t num_dims) {
    std::vector<int64_t> sizes;
    for (int64_t dim = 0; dim < input.dim(); dim++) {
        sizes.push_back(dim < input.dim() - num_dims ? input.size(dim) : 1);
    }
    return torch::stable::new_empty(input, sizes, compute_dtype(input));
}

struct Normalised {
    Tensor out, sum, mean, rstd;
};

Normalised normalise(bool has_mean, const Tensor& input, const Maybe& residual,
                     const Maybe& weight, const Maybe& bias,
                     int64_t num_dims, double eps) {
    const Shape shape = shape_of(input, num_dims);
    if (residual.has_value()) {
        require_like(*residual, "residual", input);
    }
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

template <typename Number>
void run_backward(const NormBackward& it, const Shape& shape, Tensor* grad_weight,
                  Tensor* grad_bias) {
    const auto run = [&](int64_t first, int64_t last, Number** sums) {
        kernels().norm_backward(it, first, last, sums[0], sums[1]);
    };
    if (grad_weight == nullptr) {
        torch::stable::parallel_for(0, shape.rows, grain_of(shape),
                                    [&](int64_t first, int64_t last) {
                                        kernels().norm_backward(it, first, last, nullptr, nullptr);
                                    });
    } else if (it.has_mean) {
        sum_over_parts<Number>(shape, {grad_weight, grad_bias}, run);
    } else {
        sum_over_parts<Number>(shape, {grad_weight}, run);
    }
}

struct Gradients {
    Tensor input, weight, bias;
};

Gradients differentiate(bool has_mean, const Tensor& grad, const Maybe& grad_sum,
                        const Tensor& input, const Tensor& mean, const Tensor& rstd,
                        const Maybe& weight, int64_t num_dims,
                        bool has_parameters) {
    const Shape shape = shape_of(input, num_dims);
    require_like(grad, "grad", input);
    require_numbers(mean, "mean", input, shape.rows);
    require_numbers(rstd, "rstd", input, shape.rows);
    if (grad_sum.has_value()) {
        require_like(*grad_sum, "grad_sum", input);
    }
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
    // Parameters have their own dtype; without a weight it is the input's.
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

void torchstone::register_norms(Operators& m) {
    m.impl("layer_norm", TORCH_BOX(&layer_norm));
    m.impl("add_layer_norm", TORCH_BOX(&add_layer_norm));
    m.impl("rms_norm", TORCH_BOX(&rms_norm));
    m.impl("add_rms_norm", TORCH_BOX(&add_rms_norm));
    m.impl("layer_norm_backward", TORCH_BOX(&layer_norm_backward));
    m.impl("rms_norm_backward", TORCH_BOX(&rms_norm_backward));
}
