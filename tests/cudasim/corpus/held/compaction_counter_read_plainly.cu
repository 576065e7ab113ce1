// expect: race
// Compaction: the slot comes from an atomic, but the room left is read without one.
#include <vector>

__global__ void keep_odd(const int* in, int n, int* out, int* count, int capacity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 2 == 0) return;
    if (*count < capacity) {             // <- race
        int slot = atomicAdd(count, 1);  // <- race
        if (slot < capacity) out[slot] = in[i];
    }
}

int main() {
    const int n = 150, capacity = 60;
    std::vector<int> in(n), out(capacity);
    for (int i = 0; i < n; ++i) in[i] = i;
    int *d_in, *d_out, *d_count;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, capacity * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    keep_odd<<<3, 64>>>(d_in, n, d_out, d_count, capacity);
    cudaMemcpy(out.data(), d_out, capacity * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_count);
    return 0;
}
