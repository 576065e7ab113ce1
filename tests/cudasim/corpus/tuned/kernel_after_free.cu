// expect: use-after-free
// The weights are freed when the first layer is done, but the second layer uses them too.
#include <vector>

__global__ void layer(const float* weights, const float* in, float* out) {
    out[threadIdx.x] = weights[threadIdx.x] * in[threadIdx.x];  // <- use-after-free
}

int main() {
    const int n = 40;
    std::vector<float> values(n, 2.0f);
    float *d_weights, *d_in, *d_out;
    cudaMalloc(&d_weights, n * sizeof(float));
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_weights, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    layer<<<1, n>>>(d_weights, d_in, d_out);
    cudaFree(d_weights);
    layer<<<1, n>>>(d_weights, d_out, d_in);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
