#include <cuda_runtime.h>

// For each ray: march S samples through the lattice `field`, composite them over `bg`, and stop
// when the transmittance has fallen below T_min. Write kernels and launch them on `stream`.
extern "C" cudaError_t nerf_forward(const float* rays_o, const float* rays_d, int R,
                                    const float* field, int G, float t_near, float dt, int S,
                                    float T_min, const float* bg, float* rgb, float* depth,
                                    float* opacity, int* steps, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}

// The gradient of `field` alone, written over whatever `grad_field` holds. grad_depth and
// grad_opacity may be null, which means zeros.
extern "C" cudaError_t nerf_backward(const float* grad_rgb, const float* grad_depth,
                                     const float* grad_opacity, const float* rays_o,
                                     const float* rays_d, int R, const float* field, int G,
                                     float t_near, float dt, int S, float T_min, const float* bg,
                                     const float* rgb, const float* depth, const float* opacity,
                                     const int* steps, float* grad_field, cudaStream_t stream) {
    if (R < 0 || S < 0 || G < 2) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}
