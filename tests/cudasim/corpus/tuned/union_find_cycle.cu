// expect: timeout
// Roots are found by following parent links; a cycle among them is followed for ever.
#include <vector>

__global__ void find_roots(const int* parent, int* roots, int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int node = i;
    while (parent[node] != node) {  // <- timeout
        node = parent[node];        // <- timeout
        steps[i] += 1;              // <- timeout
    }  // <- timeout
    roots[i] = node;
}

int main() {
    const int n = 40;
    std::vector<int> parent(n), roots(n);
    for (int i = 0; i < n; ++i) parent[i] = i / 2;
    parent[5] = 21;  // 21 -> 10 -> 5 -> 21
    int *d_parent, *d_roots, *d_steps;
    cudaMalloc(&d_parent, n * sizeof(int));
    cudaMalloc(&d_roots, n * sizeof(int));
    cudaMalloc(&d_steps, n * sizeof(int));
    cudaMemset(d_steps, 0, n * sizeof(int));
    cudaMemcpy(d_parent, parent.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    find_roots<<<2, 32>>>(d_parent, d_roots, d_steps, n);
    cudaMemcpy(roots.data(), d_roots, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_parent);
    cudaFree(d_roots);
    cudaFree(d_steps);
    return 0;
}
