// expect: uninitialized
// The vectorised sum rounds up to whole float4: the padding is allocated but holds nothing.
#include <vector>

__global__ void sum(const float4* in, int vectors, float* out) {
    float total = 0.0f;
    for (int i = threadIdx.x; i < vectors; i += 32) {
        float4 v = in[i];                // <- uninitialized
        total += v.x + v.y + v.z + v.w;  // <- uninitialized
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        total += __shfl_down_sync(0xffffffffu, total, offset);
    }
    if (threadIdx.x == 0) *out = total;
}

int main() {
    const int n = 129, padded = (n + 3) / 4 * 4;
    std::vector<float> in(n, 1.0f);
    float *d_in, *d_out, out;
    cudaMalloc(&d_in, padded * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sum<<<1, 32>>>(reinterpret_cast<float4*>(d_in), padded / 4, d_out);
    cudaMemcpy(&out, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
