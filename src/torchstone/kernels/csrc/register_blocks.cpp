// Quantization in blocks on the CPU.
#include "operators.h"

namespace {

using namespace torchstone;

constexpr int64_t numbers_of_thread = 1 << 14;

Codes codes_of(int64_t format) {
    STD_TORCH_CHECK(format >= 0 && format <= 2, "torchstone: no format of codes ", format);
    return static_cast<Codes>(format);
}

ScalarType dtype_of(Codes codes) {
    switch (codes) {
        case Codes::int8: return ScalarType::Char;
        case Codes::int4: return ScalarType::Byte;
        case Codes::fp8: break;
    }
    return ScalarType::Float8_e4m3fn;
}

ScalarType dtype_of(int64_t dtype) {
    switch (dtype) {
        case 0: return ScalarType::Float;
        case 1: return ScalarType::BFloat16;
        case 2: return ScalarType::Half;
        case 3: return ScalarType::Double;
        default: break;
    }
    STD_TORCH_CHECK(false, "torchstone: no dtype of values ", dtype);
}

// Sizes of a tensor with another row width.
std::vector<int64_t> with_width(const Tensor& like, int64_t width) {
    const auto sizes = like.sizes();
    std::vector<int64_t> result(sizes.begin(), sizes.end());
    result.back() = width;
    return result;
}

int64_t grain(int64_t width) {
    return std::max<int64_t>(1, numbers_of_thread / std::max<int64_t>(1, width));
}

std::tuple<Tensor, Tensor> block_quantize(const Tensor& input, int64_t format, int64_t block) {
    const Codes codes = codes_of(format);
    const Shape shape = shape_of(input, 1);
    const int64_t per_byte = codes == Codes::int4 ? 2 : 1;
    STD_TORCH_CHECK(input.dim() >= 1 && block >= 1 && shape.width % block == 0 &&
                        block % per_byte == 0,
                    "torchstone: blocks of ", block, " do not divide a row of ", shape.width);
    const Tensor dense = torch::stable::contiguous(input);
    Tensor out = torch::stable::new_empty(input, with_width(input, shape.width / per_byte),
                                          dtype_of(codes));
    Tensor scales = torch::stable::new_empty(input, with_width(input, shape.width / block),
                                             ScalarType::BFloat16);
    const BlockQuantize it{type_of(input), codes, dense.const_data_ptr(), out.mutable_data_ptr(),
                           scales.mutable_data_ptr(), shape.width, block};
    torch::stable::parallel_for(
        0, shape.width > 0 ? shape.rows : 0, grain(shape.width), [&](int64_t first, int64_t last) {
            const Memory row(shape.width * static_cast<int64_t>(sizeof(double)));
            kernels().block_quantize(it, first, last, row.get());
        });
    return {out, scales};
}

Tensor block_dequantize(const Tensor& input, const Tensor& scales, int64_t format, int64_t block,
                        int64_t dtype) {
    const Codes codes = codes_of(format);
    const Shape shape = shape_of(input, 1);
    const int64_t width = shape.width * (codes == Codes::int4 ? 2 : 1);
    STD_TORCH_CHECK(input.dim() >= 1 && block >= 1 && width % block == 0 &&
                        input.scalar_type() == dtype_of(codes) &&
                        scales.scalar_type() == ScalarType::BFloat16 &&
                        scales.numel() == shape.rows * (width / block),
                    "torchstone: codes, scales and blocks of ", block, " do not go together");
    const Tensor dense = torch::stable::contiguous(input);
    const Tensor dense_scales = torch::stable::contiguous(scales);
    Tensor out = torch::stable::new_empty(input, with_width(input, width), dtype_of(dtype));
    const BlockDequantize it{type_of(out), codes, dense.const_data_ptr(),
                             dense_scales.const_data_ptr(), out.mutable_data_ptr(), width, block};
    torch::stable::parallel_for(
        0, width > 0 ? shape.rows : 0, grain(width), [&](int64_t first, int64_t last) {
            const Memory row(width * static_cast<int64_t>(sizeof(float)));
            kernels().block_dequantize(it, first, last, row.get());
        });
    return out;
}

}  // namespace

void torchstone::register_blocks(Operators& m) {
    m.impl("block_quantize", TORCH_BOX(&block_quantize));
    m.impl("block_dequantize", TORCH_BOX(&block_dequantize));
}
