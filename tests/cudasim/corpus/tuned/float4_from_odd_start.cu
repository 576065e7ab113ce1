// expect: misaligned
// The vectorised copy skips a header of one float and so leaves the 16-byte grid.
#include <vector>

__global__ void copy(const float* in, float4* out, int vectors) {
    int i = threadIdx.x;
    if (i < vectors) {
        out[i] = reinterpret_cast<const float4*>(in + 1)[i];  // <- misaligned
    }
}

int main() {
    const int vectors = 20, n = vectors * 4;
    std::vector<float> in(n + 1, 1.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<1, 32>>>(d_in, reinterpret_cast<float4*>(d_out), vectors);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
