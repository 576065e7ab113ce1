// expect: race
// may: uninitialized
// A vote makes the lanes meet, but it does not order their stores to shared memory.
#include <vector>

__global__ void neighbours(const int* in, int* out) {
    __shared__ int cells[32];
    int lane = threadIdx.x;
    cells[lane] = in[lane];  // <- race
    if (__any_sync(0xffffffffu, in[lane] > 0)) {
        out[lane] = cells[(lane + 1) % 32];  // <- race
    }
}

int main() {
    std::vector<int> in(32, 1), out(32);
    int *d_in, *d_out;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemcpy(d_in, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, 32 * sizeof(int));
    neighbours<<<1, 32>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
