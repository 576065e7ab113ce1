// expect: race
// Label propagation where the smaller label is stored plainly, without atomicMin.
#include <vector>

__global__ void propagate(const int2* edges, int num_edges, int* labels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= num_edges) return;
    int2 edge = edges[i];
    int a = labels[edge.x];         // <- race
    int b = labels[edge.y];         // <- race
    if (b < a) labels[edge.x] = b;  // <- race
    if (a < b) labels[edge.y] = a;  // <- race
}

int main() {
    const int nodes = 70;
    std::vector<int2> edges;
    std::vector<int> labels(nodes);
    for (int i = 0; i < nodes; ++i) {
        labels[i] = i;
        if (i + 1 < nodes) edges.push_back(make_int2(i, i + 1));
    }
    int num_edges = edges.size(), *d_labels;
    int2* d_edges;
    cudaMalloc(&d_edges, num_edges * sizeof(int2));
    cudaMalloc(&d_labels, nodes * sizeof(int));
    cudaMemcpy(d_edges, edges.data(), num_edges * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(d_labels, labels.data(), nodes * sizeof(int), cudaMemcpyHostToDevice);
    propagate<<<3, 32>>>(d_edges, num_edges, d_labels);
    cudaMemcpy(labels.data(), d_labels, nodes * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_edges);
    cudaFree(d_labels);
    return 0;
}
