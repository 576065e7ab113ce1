// expect: out-of-bounds
// The launch gives the number of elements of shared memory where bytes are wanted.
#include <vector>

__global__ void reverse(float* data, int n) {
    extern __shared__ float tile[];
    int i = threadIdx.x;
    tile[i] = data[i];  // <- out-of-bounds
    __syncthreads();
    data[i] = tile[n - 1 - i];  // <- out-of-bounds
}

int main() {
    const int n = 128;
    std::vector<float> data(n, 3.0f);
    float* d_data;
    cudaMalloc(&d_data, n * sizeof(float));
    cudaMemcpy(d_data, data.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reverse<<<1, n, n>>>(d_data, n);
    cudaMemcpy(data.data(), d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    return 0;
}
