// expect: WAW
// Two arrays in dynamic shared memory: the second starts n bytes later, not n floats.
#include <vector>

__global__ void scale(const float* in, float* out, int n) {
    extern __shared__ __align__(16) unsigned char pool[];
    float* values = reinterpret_cast<float*>(pool);
    float* weights = reinterpret_cast<float*>(pool + n);
    int tid = threadIdx.x;
    values[tid] = in[tid];        // <- WAW
    weights[tid] = tid * 0.125f;  // <- WAW
    __syncthreads();
    out[tid] = values[n - 1 - tid] * weights[tid];
}

int main() {
    const int n = 96;
    std::vector<float> in(n, 2.0f), out(n);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<1, n, 2 * n * sizeof(float)>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
