// expect: out-of-bounds
// Vectorised scaling rounds the number of float4 up; the last one hangs over the end.
#include <vector>

__global__ void scale(float4* x, int vectors, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    float4 v = x[i];  // <- out-of-bounds
    x[i] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);  // <- out-of-bounds
}

int main() {
    const int n = 402;
    std::vector<float> x(n, 1.0f);
    float* d_x;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<4, 32>>>(reinterpret_cast<float4*>(d_x), (n + 3) / 4, 0.5f);
    cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    return 0;
}
