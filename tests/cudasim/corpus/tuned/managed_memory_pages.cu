// expect: nothing
// Managed memory and a managed variable: host and device take turns, parted by synchronisation.
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__managed__ int longest = 0;

__global__ void walk(Node* const* heads, int* sums) {
    int length = 0, sum = 0;
    for (Node* node = heads[threadIdx.x]; node != nullptr; node = node->next) {
        node->value *= 2;
        sum += node->value;
        ++length;
    }
    sums[threadIdx.x] = sum;
    atomicMax(&longest, length);
}

int main() {
    const int lists = 12;
    Node *nodes, **heads;
    int* sums;
    cudaMallocManaged(&nodes, lists * lists * sizeof(Node));
    cudaMallocManaged(&heads, lists * sizeof(Node*));
    cudaMallocManaged(&sums, lists * sizeof(int));
    for (int i = 0; i < lists; ++i) {
        heads[i] = nullptr;
        for (int j = 0; j < i; ++j) {
            Node* node = &nodes[i * lists + j];
            *node = {i + j, heads[i]};
            heads[i] = node;
        }
    }
    walk<<<1, lists>>>(heads, sums);
    cudaDeviceSynchronize();
    int bad = longest != lists - 1;
    for (int i = 0; i < lists; ++i) {
        int want = 0;
        for (int j = 0; j < i; ++j) want += 2 * (i + j);
        bad += sums[i] != want;
    }
    cudaFree(nodes);
    cudaFree(heads);
    cudaFree(sums);
    if (bad) printf("%d values are wrong\n", bad);
    return bad != 0;
}
