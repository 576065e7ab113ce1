// expect: nothing
// An array of structs in shared memory: threads own members, then whole elements.
#include <cstdio>
#include <vector>

struct Pair {
    int first;
    int second;
};

__global__ void pairs(const int* in, int* out) {
    __shared__ Pair pairs[20];
    int tid = threadIdx.x;
    if (tid < 20) {
        pairs[tid].first = in[tid];
    } else {
        pairs[tid - 20].second = in[tid];  // its neighbour in memory belongs to another thread
    }
    __syncthreads();
    if (tid < 20) {
        Pair pair = pairs[tid];
        out[tid] = pair.first * 10 + pair.second - pairs[(tid + 1) % 20].first;
    }
}

int main() {
    const int n = 40, m = 20;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 3 % 31;
    for (int i = 0; i < m; ++i) want[i] = in[i] * 10 + in[i + 20] - in[(i + 1) % 20];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    pairs<<<1, 40>>>(d_in, d_out);
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
