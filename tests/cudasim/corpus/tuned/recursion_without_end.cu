// expect: stack-overflow
// Depth of a tree given by parent links; a cycle in the links makes the recursion endless.
#include <vector>

struct Step {
    int node;
    const Step* before;
};

__device__ int depth(const int* parent, int node, const Step* before) {  // <- stack-overflow
    Step here = {node, before};                                           // <- stack-overflow
    if (parent[node] != node) {                                           // <- stack-overflow
        return depth(parent, parent[node], &here);                        // <- stack-overflow
    }
    int steps = 0;
    for (const Step* step = here.before; step != nullptr; step = step->before) ++steps;
    return steps;
}

__global__ void depths(const int* parent, int* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = depth(parent, i, nullptr);  // <- stack-overflow
}

int main() {
    const int n = 20;
    std::vector<int> parent(n), out(n);
    for (int i = 0; i < n; ++i) parent[i] = i / 2;
    parent[3] = 14;  // 14 -> 7 -> 3 -> 14
    int *d_parent, *d_out;
    cudaMalloc(&d_parent, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_parent, parent.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    depths<<<1, 32>>>(d_parent, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_parent);
    cudaFree(d_out);
    return 0;
}
