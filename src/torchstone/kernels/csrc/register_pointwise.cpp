// Softmax, the activations, rotary embeddings and AdamW on the CPU.
#include <cmath>

#include "operators.h"

namespace {

using namespace torchstone;

// Minimum number of rows per thread, for operations with one exponential per element.
int64_t grain_of_exponentials(const Shape& shape) {
    return std::max<int64_t>(1, grain_of(shape) / 8);
}

constexpr int64_t numbers_of_thread = 1 << 12;

Tensor softmax(const Tensor& input) {
    const Shape shape = shape_of(input, 1);
    const Tensor dense = torch::stable::contiguous(input);
    Tensor out = dense_like(input);
    const Softmax it{type_of(input), dense.const_data_ptr(), out.mutable_data_ptr(), shape.width,
                     is_streamed(out, 2)};
    torch::stable::parallel_for(
        0, shape.width > 0 ? shape.rows : 0, grain_of_exponentials(shape),
        [&](int64_t first, int64_t last) {
            const Memory row(shape.width * static_cast<int64_t>(sizeof(double)));
            kernels().softmax(it, first, last, row.get());
        });
    return out;
}

Tensor softmax_backward(const Tensor& grad, const Tensor& out) {
    const Shape shape = shape_of(out, 1);
    require_like(grad, "grad", out);
    const Tensor dense_grad = torch::stable::contiguous(grad);
    const Tensor dense = torch::stable::contiguous(out);
    Tensor grad_input = dense_like(out);
    const SoftmaxBackward it{type_of(out), dense_grad.const_data_ptr(), dense.const_data_ptr(),
                             grad_input.mutable_data_ptr(), shape.width,
                             is_streamed(grad_input, 3)};
    torch::stable::parallel_for(
        0, shape.width > 0 ? shape.rows : 0, grain_of(shape),
        [&](int64_t first, int64_t last) { kernels().softmax_backward(it, first, last); });
    return grad_input;
}

Tensor bias_gelu(const Tensor& input, const Maybe& bias) {
    const Shape shape = shape_of(input, 1);
    const Tensor dense = torch::stable::contiguous(input);
    Tensor out = dense_like(input);
    const Parameter b(bias, input, shape.width, 0.0);
    const BiasGelu it{type_of(input), nullptr, dense.const_data_ptr(), b.data(),
                      out.mutable_data_ptr(), shape.width};
    torch::stable::parallel_for(
        0, shape.rows, grain_of_exponentials(shape),
        [&](int64_t first, int64_t last) { kernels().bias_gelu(it, first, last); });
    return out;
}

template <typename Number>
void run_bias_gelu_backward(const BiasGelu& it, const Shape& shape, Tensor* grad_bias) {
    if (grad_bias != nullptr) {
        sum_over_parts<Number>(shape, {grad_bias},
                               [&](int64_t first, int64_t last, Number** sums) {
                                   kernels().bias_gelu_backward(it, first, last, sums[0]);
                               });
        return;
    }
    torch::stable::parallel_for(
        0, shape.rows, grain_of_exponentials(shape), [&](int64_t first, int64_t last) {
            kernels().bias_gelu_backward(it, first, last, nullptr);
        });
}

std::tuple<Tensor, Tensor> bias_gelu_backward(const Tensor& grad, const Tensor& input,
                                              const Maybe& bias) {
    const Shape shape = shape_of(input, 1);
    require_like(grad, "grad", input);
    const Tensor dense_grad = torch::stable::contiguous(grad);
    const Tensor dense = torch::stable::contiguous(input);
    Tensor grad_input = dense_like(input);
    const ScalarType dtype = bias.has_value() ? bias->scalar_type() : input.scalar_type();
    const std::vector<int64_t> sizes{bias.has_value() ? shape.width : 0};
    Tensor grad_bias = torch::stable::new_zeros(input, sizes, dtype);
    if (shape.rows * shape.width > 0) {
        const Parameter b(bias, input, shape.width, 0.0);
        const BiasGelu it{type_of(input), dense_grad.const_data_ptr(), dense.const_data_ptr(),
                          b.data(), grad_input.mutable_data_ptr(), shape.width};
        Tensor* const of_bias = bias.has_value() ? &grad_bias : nullptr;
        if (is_double(input)) {
            run_bias_gelu_backward<double>(it, shape, of_bias);
        } else {
            run_bias_gelu_backward<float>(it, shape, of_bias);
        }
    }
    return {grad_input, grad_bias};
}

Tensor swiglu(const Tensor& gate, const Tensor& up) {
    require_like(up, "up", gate);
    const Tensor dense_gate = torch::stable::contiguous(gate);
    const Tensor dense_up = torch::stable::contiguous(up);
    Tensor out = dense_like(gate);
    const Swiglu it{type_of(gate), nullptr, dense_gate.const_data_ptr(), dense_up.const_data_ptr(),
                    out.mutable_data_ptr(), nullptr};
    torch::stable::parallel_for(
        0, gate.numel(), numbers_of_thread,
        [&](int64_t first, int64_t last) { kernels().swiglu(it, first, last); });
    return out;
}

std::tuple<Tensor, Tensor> swiglu_backward(const Tensor& grad, const Tensor& gate,
                                           const Tensor& up) {
    require_like(grad, "grad", gate);
    require_like(up, "up", gate);
    const Tensor dense_grad = torch::stable::contiguous(grad);
    const Tensor dense_gate = torch::stable::contiguous(gate);
    const Tensor dense_up = torch::stable::contiguous(up);
    Tensor grad_gate = dense_like(gate), grad_up = dense_like(up);
    const Swiglu it{type_of(gate), dense_grad.const_data_ptr(), dense_gate.const_data_ptr(),
                    dense_up.const_data_ptr(), grad_gate.mutable_data_ptr(),
                    grad_up.mutable_data_ptr()};
    torch::stable::parallel_for(
        0, gate.numel(), numbers_of_thread,
        [&](int64_t first, int64_t last) { kernels().swiglu_backward(it, first, last); });
    return {grad_gate, grad_up};
}

Tensor rotary(const Tensor& input, const Tensor& cosines, const Tensor& sines, bool is_interleaved,
              bool turns_back) {
    const Shape shape = shape_of(input, 1);
    STD_TORCH_CHECK(input.dim() >= 2 && shape.width % 2 == 0,
                    "torchstone: a row of an odd width cannot be turned");
    const int64_t count = input.size(input.dim() - 2) * (shape.width / 2);
    const Tensor dense = torch::stable::contiguous(input);
    const Tensor c = torch::stable::contiguous(cosines), s = torch::stable::contiguous(sines);
    require_numbers(c, "cosines", input, count);
    require_numbers(s, "sines", input, count);
    Tensor out = dense_like(input);
    const Rotary it{
        .type = type_of(input),
        .input = dense.const_data_ptr(),
        .cosines = c.const_data_ptr(),
        .sines = s.const_data_ptr(),
        .out = out.mutable_data_ptr(),
        .width = shape.width,
        .num_places = std::max<int64_t>(1, input.size(input.dim() - 2)),
        .is_interleaved = is_interleaved,
        .turns_back = turns_back,
    };
    torch::stable::parallel_for(
        0, shape.width > 0 ? shape.rows : 0, grain_of(shape),
        [&](int64_t first, int64_t last) { kernels().rotary(it, first, last); });
    return out;
}

void adamw_(const Tensor& param, const Tensor& mean, const Tensor& square, const Tensor& grad,
            double lr, double beta1, double beta2, double eps, double weight_decay, int64_t step) {
    require_like(grad, "grad", param);
    require_numbers(mean, "mean", param, param.numel());
    require_numbers(square, "square", param, param.numel());
    STD_TORCH_CHECK(param.is_contiguous(), "torchstone: a parameter has gaps");
    const Tensor dense = torch::stable::contiguous(grad);
    const AdamW it{
        .type = type_of(param),
        .param = param.mutable_data_ptr(),
        .grad = dense.const_data_ptr(),
        .mean = mean.mutable_data_ptr(),
        .square = square.mutable_data_ptr(),
        .lr = lr,
        .beta1 = beta1,
        .beta2 = beta2,
        .eps = eps,
        .weight_decay = weight_decay,
        .correction1 = 1 - std::pow(beta1, step),
        .correction2 = 1 - std::pow(beta2, step),
    };
    torch::stable::parallel_for(
        0, param.numel(), numbers_of_thread,
        [&](int64_t first, int64_t last) { kernels().adamw(it, first, last); });
}

}  // namespace

void torchstone::register_pointwise(Operators& m) {
    m.impl("softmax", TORCH_BOX(&softmax));
    m.impl("softmax_backward", TORCH_BOX(&softmax_backward));
    m.impl("bias_gelu", TORCH_BOX(&bias_gelu));
    m.impl("bias_gelu_backward", TORCH_BOX(&bias_gelu_backward));
    m.impl("rotary", TORCH_BOX(&rotary));
    m.impl("adamw_", TORCH_BOX(&adamw_));
    m.impl("swiglu", TORCH_BOX(&swiglu));
    m.impl("swiglu_backward", TORCH_BOX(&swiglu_backward));
}
