// expect: barrier-divergence
// A barrier in a grid-stride loop: in the last round only some threads have an element.
#include <vector>

__global__ void shift_pairs(const int* in, int* out, int n) {
    __shared__ int tile[48];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        tile[threadIdx.x] = in[i];
        __syncthreads();  // <- barrier-divergence
        out[i] = tile[threadIdx.x ^ 1];
        __syncthreads();  // <- barrier-divergence
    }
    __syncthreads();  // <- barrier-divergence
    if (threadIdx.x == 0) out[n] = n;
}

int main() {
    const int n = 120;
    std::vector<int> in(n, 1), out(n + 1);
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, (n + 1) * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    shift_pairs<<<1, 48>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
