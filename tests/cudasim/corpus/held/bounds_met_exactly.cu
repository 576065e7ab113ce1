// expect: nothing
// Arrays used to their very last element: the halo in a tile, pairs as int2.
#include <cstdio>
#include <vector>

__global__ void edge(const int* in, int* out) {
    __shared__ int tile[66];
    int tid = threadIdx.x;
    tile[tid + 2] = in[tid + 2];
    if (tid < 2) tile[tid] = in[tid];
    __syncthreads();
    int2 pair = reinterpret_cast<const int2*>(in)[tid / 2];
    out[tid] = tile[tid] + tile[tid + 1] + tile[tid + 2] + 4 * (tid % 2 == 0 ? pair.y : pair.x);
}

int main() {
    const int n = 66, m = 64;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 23 % 77;
    for (int i = 0; i < m; ++i) {
        want[i] = in[i] + in[i + 1] + in[i + 2] + 4 * in[i ^ 1];
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    edge<<<1, 64>>>(d_in, d_out);
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
