// expect: warp-divergence invalid-mask
// A vote of all lanes in a loop that some lanes leave a round earlier.
#include <vector>

__global__ void count(const int* in, int n, int* out) {
    int positive = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        positive += __popc(__ballot_sync(~0u, in[i] > 0));  // <- warp-divergence invalid-mask
    }
    out[threadIdx.x] = __shfl_sync(~0u, positive, 0);  // <- warp-divergence invalid-mask
}

int main() {
    const int n = 75;
    std::vector<int> in(n, 1);
    int *d_in, *d_out, out[32];
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count<<<1, 32>>>(d_in, n, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
