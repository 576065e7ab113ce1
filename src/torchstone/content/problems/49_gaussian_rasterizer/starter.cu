#include <cuda_runtime.h>

// Of each Gaussian: where its centre lies in the image, its depth, the inverse of its covariance
// there, and the half side of the square in which it is looked at.
extern "C" cudaError_t gs_project(const float* means, const float* scales, const float* quats,
                                  const float* view, float fx, float fy, float cx, float cy, int N,
                                  float* xy, float* depth, float* conic, float* radius,
                                  cudaStream_t stream) {
    if (N < 0) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}

// Sort by depth, then blend at each pixel from the front to the back.
extern "C" cudaError_t gs_forward(const float* xy, const float* depth, const float* conic,
                                  const float* radius, const float* opacity, const float* color,
                                  const float* bg, int N, int W, int H, float* image,
                                  float* final_T, int* n_last, int* order, cudaStream_t stream) {
    if (N < 0 || W < 1 || H < 1) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}

// The gradient of the image with respect to what gs_forward was given, all decisions kept.
extern "C" cudaError_t gs_backward(const float* grad_image, const float* xy, const float* conic,
                                   const float* radius, const float* opacity, const float* color,
                                   const float* bg, const int* order, const float* final_T,
                                   const int* n_last, int N, int W, int H, float* grad_xy,
                                   float* grad_conic, float* grad_opacity, float* grad_color,
                                   cudaStream_t stream) {
    if (N < 0 || W < 1 || H < 1) {
        return cudaErrorInvalidValue;
    }
    // Write it here.
    return cudaGetLastError();
}
