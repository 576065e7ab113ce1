// expect: race
// A lock around a balance: it is released before the new balance is stored.
#include <vector>

__device__ int lock = 0;

__global__ void book(int* balance, const int* amounts) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    int sum = *balance + amounts[blockIdx.x];  // <- race
    __threadfence();
    atomicExch(&lock, 0);
    *balance = sum;  // <- race
}

int main() {
    const int blocks = 10;
    std::vector<int> amounts(blocks, 5);
    int *d_amounts, *d_balance, balance;
    cudaMalloc(&d_amounts, blocks * sizeof(int));
    cudaMalloc(&d_balance, sizeof(int));
    cudaMemset(d_balance, 0, sizeof(int));
    cudaMemcpy(d_amounts, amounts.data(), blocks * sizeof(int), cudaMemcpyHostToDevice);
    book<<<blocks, 32>>>(d_balance, d_amounts);
    cudaMemcpy(&balance, d_balance, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_amounts);
    cudaFree(d_balance);
    return 0;
}
