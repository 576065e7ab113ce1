// expect: nothing
// Atomics on shared cells, then plain reads and a plain reset: each phase behind a barrier.
#include <cstdio>
#include <vector>

__global__ void phases(const int* in, int* out) {
    __shared__ int cells[8];
    int tid = threadIdx.x, sum = 0;
    if (tid < 8) cells[tid] = 0;
    __syncthreads();
    for (int phase = 0; phase < 2; ++phase) {
        int value = in[phase * 60 + tid];
        atomicAdd(&cells[value % 8], value);
        __syncthreads();
        if (tid < 8) {
            sum += cells[tid] * (phase + 1);
            cells[tid] = 0;
        }
        __syncthreads();
    }
    if (tid < 8) out[tid] = sum;
}

int main() {
    const int n = 120, m = 8;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = i * 17 % 64;
    for (int i = 0; i < n; ++i) want[in[i] % 8] += i < 60 ? in[i] : 2 * in[i];
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    phases<<<1, 60>>>(d_in, d_out);
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
