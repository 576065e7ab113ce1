// feature: managed memory and __managed__ variables
// area: memory
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__managed__ int total = 5;
__managed__ float table[4] = {1, 2, 3, 4};

__global__ void sum(const Node* head) {
    int local = 0;
    for (const Node* node = head; node; node = node->next) {
        local += node->value;
    }
    total += local;
    table[2] = 30;
}

int main() {
    Node* nodes;
    cudaMallocManaged(&nodes, 10 * sizeof(Node));
    for (int i = 0; i < 10; i++) {
        nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
    }
    int device = 0;
    cudaGetDevice(&device);
#if CUDART_VERSION >= 13000
    const cudaMemLocation place = {cudaMemLocationTypeDevice, device};
    cudaMemAdvise(nodes, 10 * sizeof(Node), cudaMemAdviseSetReadMostly, place);
    cudaMemPrefetchAsync(nodes, 10 * sizeof(Node), place, 0);
#else
    cudaMemPrefetchAsync(nodes, 10 * sizeof(Node), device);
#endif
    total += 1;
    sum<<<1, 1>>>(nodes);
    cudaDeviceSynchronize();
    const bool right = total == 51 && table[2] == 30 && table[3] == 4;
    if (!right) {
        std::printf("the total is %d\n", total);
    }
    cudaFree(nodes);
    return !right || cudaGetLastError() != cudaSuccess;
}
