// expect: nothing
// Lanes with equal keys find each other by match; one of them stores for the group.
#include <cstdio>
#include <vector>

__global__ void count_keys(const int* in, int* out) {
    int key = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned peers = __match_any_sync(0xffffffffu, key);
    int leader = __ffs(peers) - 1;
    if (threadIdx.x == leader) atomicAdd(&out[key], __popc(peers));
}

int main() {
    const int n = 64, m = 16;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * i % 16;
    for (int i = 0; i < n; ++i) want[in[i]] += 1;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemset(d_out, 0, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count_keys<<<2, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaMemcpy(out.data(), d_out, m * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < m; ++i) {
        if (out[i] != want[i]) {
            printf("out[%d] is %d, not %d\n", i, out[i], want[i]);
            return 1;
        }
    }
    return 0;
}
