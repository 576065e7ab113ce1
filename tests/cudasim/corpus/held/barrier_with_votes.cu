// expect: nothing
// __syncthreads_or, _and and _count order shared memory as the plain barrier does.
#include <cstdio>
#include <vector>

__global__ void votes(const int* in, int* out) {
    __shared__ int cells[50];
    int tid = threadIdx.x;
    cells[tid] = in[tid];
    int any = __syncthreads_or(tid == 49);
    int next = cells[(tid + 1) % 50];
    int even = __syncthreads_count(tid % 2 == 0);
    cells[tid] = next;
    int all = __syncthreads_and(tid < 50);
    out[tid] = any && all ? next + cells[(tid + 1) % 50] + even : -1;
}

int main() {
    const int n = 50, m = 50;
    std::vector<int> in(n), out(m), want(m);
    for (int i = 0; i < n; ++i) in[i] = (i * 13 + 5) % 47;
    for (int i = 0; i < n; ++i) {
        int next = in[(i + 1) % n], after = in[(i + 2) % n];
        want[i] = next + after + 25;
    }
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, m * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    votes<<<1, 50>>>(d_in, d_out);
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
