// Cross-entropy on the CPU.
#include "operators.h"

namespace {

using namespace torchstone;

// Checks that each target is a class index.
void require_targets(const int64_t* targets, int64_t rows, int64_t width, int64_t ignored) {
    for (int64_t r = 0; r < rows; r++) {
        const bool is_class = targets[r] >= 0 && targets[r] < width;
        STD_TORCH_CHECK(is_class || targets[r] == ignored, "Target ", targets[r],
                        " is out of bounds.");
    }
}

std::tuple<Tensor, Tensor> cross_entropy(const Tensor& logits, const Tensor& target,
                                         int64_t ignored, double smoothing) {
    const Shape shape = shape_of(logits, 1);
    STD_TORCH_CHECK(target.numel() == shape.rows && target.scalar_type() == ScalarType::Long,
                    "torchstone: target has not an int64 for each of ", shape.rows, " rows");
    const Tensor dense = torch::stable::contiguous(logits);
    const Tensor targets = torch::stable::contiguous(target);
    const auto* classes = static_cast<const int64_t*>(targets.const_data_ptr());
    require_targets(classes, shape.rows, shape.width, ignored);
    const auto sizes = target.sizes();
    const std::vector<int64_t> kept{sizes.begin(), sizes.end()};
    Tensor losses = torch::stable::new_empty(logits, kept, compute_dtype(logits));
    std::vector<int64_t> pairs = kept;
    pairs.push_back(2);
    Tensor statistics = torch::stable::new_empty(logits, pairs, compute_dtype(logits));
    const CrossEntropy it{
        .type = type_of(logits),
        .logits = dense.const_data_ptr(),
        .targets = classes,
        .losses = losses.mutable_data_ptr(),
        .statistics = statistics.mutable_data_ptr(),
        .grad_logits = nullptr,
        .width = shape.width,
        .ignored = ignored,
        .smoothing = smoothing,
        .streams = false,
    };
    torch::stable::parallel_for(
        0, shape.rows, grain_of(shape),
        [&](int64_t first, int64_t last) { kernels().cross_entropy(it, first, last); });
    return {losses, statistics};
}

Tensor cross_entropy_backward(const Tensor& grad, const Tensor& logits, const Tensor& target,
                              const Tensor& statistics, int64_t ignored, double smoothing) {
    const Shape shape = shape_of(logits, 1);
    STD_TORCH_CHECK(target.numel() == shape.rows && target.scalar_type() == ScalarType::Long,
                    "torchstone: target has not an int64 for each of ", shape.rows, " rows");
    require_numbers(statistics, "statistics", logits, 2 * shape.rows);
    const Tensor dense_grad = torch::stable::contiguous(grad);
    const Tensor dense = torch::stable::contiguous(logits);
    const Tensor targets = torch::stable::contiguous(target);
    require_numbers(dense_grad, "grad", logits, shape.rows);
    const auto* classes = static_cast<const int64_t*>(targets.const_data_ptr());
    require_targets(classes, shape.rows, shape.width, ignored);
    Tensor grad_logits = dense_like(logits);
    const CrossEntropy it{
        .type = type_of(logits),
        .logits = dense.const_data_ptr(),
        .targets = classes,
        .losses = const_cast<void*>(dense_grad.const_data_ptr()),
        .statistics = const_cast<void*>(statistics.const_data_ptr()),
        .grad_logits = grad_logits.mutable_data_ptr(),
        .width = shape.width,
        .ignored = ignored,
        .smoothing = smoothing,
        .streams = is_streamed(grad_logits, 2),
    };
    torch::stable::parallel_for(
        0, shape.rows, grain_of(shape),
        [&](int64_t first, int64_t last) { kernels().cross_entropy_backward(it, first, last); });
    return grad_logits;
}

}  // namespace

void torchstone::register_losses(Operators& m) {
    m.impl("cross_entropy", TORCH_BOX(&cross_entropy));
    m.impl("cross_entropy_backward", TORCH_BOX(&cross_entropy_backward));
}
