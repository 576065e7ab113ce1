// expect: invalid-mask
// The mask names the first n lanes, and all lanes of the warp call.
#include <vector>

__global__ void broadcast_last(const int* in, int* out, int n) {
    int lane = threadIdx.x;
    unsigned mask = (1u << n) - 1;
    int value = lane < n ? in[lane] : 0;
    out[lane] = __shfl_sync(mask, value, n - 1);  // <- invalid-mask
}

int main() {
    const int n = 20;
    std::vector<int> in(n, 1), out(32);
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    broadcast_last<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
