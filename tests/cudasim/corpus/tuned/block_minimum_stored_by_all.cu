// expect: WAW
// Each warp stores its own minimum in the one shared cell of the block.
#include <vector>

__global__ void minimum(const int* in, int* out) {
    __shared__ int least;
    int lane = threadIdx.x % 32;
    int value = __reduce_min_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) least = value;  // <- WAW
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = least;
}

int main() {
    const int n = 256;
    std::vector<int> in(n);
    for (int i = 0; i < n; ++i) in[i] = i * 7 % 259;
    int *d_in, *d_out, out[2];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    minimum<<<2, 128>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
