// verdict: FORBIDDEN_OP
// en: Leaves the sampling to the texture unit, whose weights have 8 bits.
// zh: 把采样交给纹理单元，而它的权重只有 8 位。
#include <cuda_runtime.h>

// Plane after plane lies below one another in the texture.
__global__ void forward_kernel(cudaTextureObject_t image, const float* grid, float* out, int C,
                               int H, int W, long long view, long long num_samples) {
    const long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < num_samples) {
        const float x = (grid[2 * i] + 1.0f) * 0.5f * W, y = (grid[2 * i + 1] + 1.0f) * 0.5f * H;
        for (int c = 0; c < C; c++) {
            const long long plane = i / view * C + c;
            out[plane * view + i % view] = tex2D<float>(image, x, y + plane * H);
        }
    }
}

extern "C" cudaError_t grid_sample_forward(const float* input, const float* grid, float* out,
                                           int N, int C, int H, int W, int Ho, int Wo,
                                           int padding_mode, int align_corners,
                                           cudaStream_t stream) {
    if (N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < 0 ||
        padding_mode > 2) {
        return cudaErrorInvalidValue;
    }
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = const_cast<float*>(input);
    what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    what.res.pitch2D.width = W;
    what.res.pitch2D.height = size_t(N) * C * H;
    what.res.pitch2D.pitchInBytes = W * sizeof(float);
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = padding_mode == 1 ? cudaAddressModeClamp : cudaAddressModeBorder;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &what, &how, nullptr);
    const long long view = 1LL * Ho * Wo, num_samples = N * view;
    forward_kernel<<<static_cast<unsigned>((num_samples + 255) / 256), 256, 0, stream>>>(
        image, grid, out, C, H, W, view, num_samples);
    return cudaGetLastError();
}

extern "C" cudaError_t grid_sample_backward(const float* grad_out, const float* input,
                                            const float* grid, float* grad_input,
                                            float* grad_grid, int N, int C, int H, int W, int Ho,
                                            int Wo, int padding_mode, int align_corners,
                                            cudaStream_t stream) {
    if (N < 0 || C < 0 || H < 1 || W < 1 || Ho < 0 || Wo < 0 || padding_mode < 0 ||
        padding_mode > 2) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}
