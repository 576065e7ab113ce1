// expect: compile dynamic parallelism
#include <cstdio>

__global__ void child(int* out) { out[threadIdx.x] = 1; }

__global__ void parent(int* out) {
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(out);
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 128);
    parent<<<1, 32>>>(out);
    cudaFree(out);
    return 0;
}
