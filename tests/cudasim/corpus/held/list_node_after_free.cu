// expect: use-after-free
// A node is freed while another node on the device still points at it.
#include <cuda_runtime.h>

struct Node {
    int value;
    Node* next;
};

__global__ void sum_list(const Node* node, int* out) {
    int sum = 0;
    while (node != nullptr) {
        sum += node->value;  // <- use-after-free
        node = node->next;   // <- use-after-free
    }
    *out = sum;
}

int main() {
    Node *d_first, *d_second;
    int* d_out;
    cudaMalloc(&d_first, sizeof(Node));
    cudaMalloc(&d_second, sizeof(Node));
    cudaMalloc(&d_out, sizeof(int));
    Node first = {1, d_second}, second = {2, nullptr};
    cudaMemcpy(d_first, &first, sizeof(Node), cudaMemcpyHostToDevice);
    cudaMemcpy(d_second, &second, sizeof(Node), cudaMemcpyHostToDevice);
    cudaFree(d_second);
    sum_list<<<1, 1>>>(d_first, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_first);
    cudaFree(d_out);
    return 0;
}
