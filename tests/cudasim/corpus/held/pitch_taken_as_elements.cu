// expect: out-of-bounds
// may: uninitialized
// Pitched matrix: the pitch in bytes is multiplied in as if it were a number of floats.
#include <cstdio>
#include <vector>

__global__ void scale_rows(float* m, size_t pitch, int width, int height, const float* factor) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < width && r < height) {
        m[r * pitch + c] *= factor[r];  // <- out-of-bounds
    }
}

int main() {
    const int width = 100, height = 18;
    std::vector<float> h(width * height, 1.0f), f(height, 2.0f);
    float *d_m, *d_f;
    size_t pitch;
    cudaMallocPitch((void**)&d_m, &pitch, width * sizeof(float), height);
    cudaMalloc((void**)&d_f, height * sizeof(float));
    cudaMemset2D(d_m, pitch, 0, width * sizeof(float), height);
    cudaMemcpy2D(d_m, pitch, h.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
    cudaMemcpy(d_f, f.data(), height * sizeof(float), cudaMemcpyHostToDevice);
    scale_rows<<<dim3(4, 5), dim3(32, 4)>>>(d_m, pitch, width, height, d_f);
    cudaMemcpy2D(h.data(), width * sizeof(float), d_m, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(d_m);
    cudaFree(d_f);
    return 0;
}
