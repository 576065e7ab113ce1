// expect: out-of-bounds
// Breadth-first search: the device counter of the frontier is never set back between levels, so the queue runs over.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

__device__ int d_tail;

__global__ void expand(const int* rows, const int* cols, int* dist, const int* in, int in_count, int* out, int depth) {
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= in_count) return;
    int v = in[t];
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int u = cols[e];
        if (atomicCAS(dist + u, -1, depth) == -1) {
            int slot = atomicAdd(&d_tail, 1);
            out[slot] = u;  // <- out-of-bounds
        }
    }
}

int main() {
    const int n = 63;  // a binary tree: levels of 2, 4, 8, 16, 32
    std::vector<int> rows(n + 1), cols, dist(n, -1);
    for (int v = 0; v < n; v++) {
        rows[v] = cols.size();
        for (int c : {2 * v + 1, 2 * v + 2})
            if (c < n) cols.push_back(c);
    }
    rows[n] = cols.size();
    dist[0] = 0;
    int *r, *c, *d, *a, *b, first = 0, zero = 0;
    cudaMalloc(&r, rows.size() * sizeof(int));
    cudaMalloc(&c, cols.size() * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&a, 40 * sizeof(int));
    cudaMalloc(&b, 40 * sizeof(int));
    cudaMemset(a, 0, 40 * sizeof(int));
    cudaMemset(b, 0, 40 * sizeof(int));
    cudaMemcpy(r, rows.data(), rows.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(c, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d, dist.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(a, &first, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(d_tail, &zero, sizeof(int));
    int count = 1;
    for (int depth = 1; depth < 7 && count > 0; depth++) {
        expand<<<(count + 15) / 16, 16>>>(r, c, d, depth & 1 ? a : b, count, depth & 1 ? b : a, depth);
        if (cudaMemcpyFromSymbol(&count, d_tail, sizeof(int)) != cudaSuccess) break;
        if (count > 40) count = 40;
    }
    std::cout << count << std::endl;
    cudaFree(r);
    cudaFree(c);
    cudaFree(d);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
