// expect: device-pointer
// The host prints the result straight from device memory.
#include <cstdio>

__global__ void sum(int* out, int n) {
    int i = threadIdx.x;
    if (i < n) atomicAdd(out, i);
}

int main() {
    int* d_out;
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_out, 0, sizeof(int));
    sum<<<1, 64>>>(d_out, 50);
    cudaDeviceSynchronize();
    printf("sum is %d\n", *d_out);  // <- device-pointer
    cudaFree(d_out);
    return 0;
}
