// expect: leak
// The program returns early when there is nothing to sort out, past one of the two frees.
#include <vector>

__global__ void count_negative(const int* in, int n, int* count) {
    int i = threadIdx.x;
    if (i < n && in[i] < 0) atomicAdd(count, 1);
}

int main() {
    const int n = 50;
    std::vector<int> in(n, 4);
    int *d_in, *d_count, count;
    cudaMalloc(&d_in, n * sizeof(int));  // <- leak
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count_negative<<<1, 64>>>(d_in, n, d_count);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_count);
    if (count == 0) return 0;
    cudaFree(d_in);
    return 0;
}
