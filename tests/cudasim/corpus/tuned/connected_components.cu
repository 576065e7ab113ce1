// expect: nothing
// Label propagation over the edges with atomicMin, repeated until a launch changes nothing.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void propagate(const int2* edges, int num_edges, const int* labels, int* next,
                          int* changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= num_edges) return;
    int2 edge = edges[i];
    int least = min(labels[edge.x], labels[edge.y]);
    bool fell = atomicMin(&next[edge.x], least) > least;
    fell = atomicMin(&next[edge.y], least) > least || fell;
    if (fell) atomicExch(changed, 1);
}

int main() {
    const int nodes = 80;
    std::vector<int2> edges;
    std::vector<int> labels(nodes), want(nodes);
    for (int i = 0; i < nodes; ++i) {
        if (i + 9 < nodes && i % 9 != 4) edges.push_back(make_int2(i, i + 9));
        labels[i] = want[i] = i;
    }
    int num_edges = edges.size(), changed = 1, *d_labels, *d_next, *d_changed;
    int2* d_edges;
    cudaMalloc(&d_edges, num_edges * sizeof(int2));
    cudaMalloc(&d_labels, nodes * sizeof(int));
    cudaMalloc(&d_next, nodes * sizeof(int));
    cudaMalloc(&d_changed, sizeof(int));
    cudaMemcpy(d_edges, edges.data(), num_edges * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(d_next, labels.data(), nodes * sizeof(int), cudaMemcpyHostToDevice);
    while (changed) {
        cudaMemcpy(d_labels, d_next, nodes * sizeof(int), cudaMemcpyDeviceToDevice);
        cudaMemset(d_changed, 0, sizeof(int));
        propagate<<<3, 30>>>(d_edges, num_edges, d_labels, d_next, d_changed);
        cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(labels.data(), d_next, nodes * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_edges);
    cudaFree(d_labels);
    cudaFree(d_next);
    cudaFree(d_changed);
    for (int round = 0; round < nodes; ++round) {
        for (int2 e : edges) want[e.x] = want[e.y] = std::min(want[e.x], want[e.y]);
    }
    for (int i = 0; i < nodes; ++i) {
        if (labels[i] != want[i]) {
            printf("node %d has label %d, not %d\n", i, labels[i], want[i]);
            return 1;
        }
    }
    return 0;
}
