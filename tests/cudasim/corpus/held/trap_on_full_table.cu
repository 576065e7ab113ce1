// expect: trap
// Insertion in a hash table: the kernel traps when the table is full, and it is too small.
#include <vector>

__global__ void insert(const int* keys, int n, int* table, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int slot = keys[i] * 7 % slots;
    for (int probe = 0; probe < slots; ++probe) {
        int old = atomicCAS(&table[slot], -1, keys[i]);
        if (old == -1 || old == keys[i]) return;
        slot = (slot + 1) % slots;
    }
    __trap();  // <- trap
}

int main() {
    const int n = 40, slots = 32;
    std::vector<int> keys(n);
    for (int i = 0; i < n; ++i) keys[i] = i * 3;
    int *d_keys, *d_table;
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMalloc(&d_table, slots * sizeof(int));
    cudaMemset(d_table, 0xff, slots * sizeof(int));
    cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    insert<<<2, 32>>>(d_keys, n, d_table, slots);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_table);
    return 0;
}
