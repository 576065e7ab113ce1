// expect: launch
// One block row per matrix row in grid.y, whose limit is 65535.
#include <cstdio>

__global__ void mark(unsigned char* first, int rows) {
    const int row = blockIdx.y;
    if (row < rows && threadIdx.x == 0) first[row] = 1;
}

int main() {
    const int rows = 70000;
    unsigned char* d;
    cudaMalloc(&d, rows);
    cudaMemset(d, 0, rows);
    dim3 grid(1, rows), block(32);
    mark<<<grid, block>>>(d, rows);  // <- launch
    if (cudaGetLastError() != cudaSuccess) printf("not launched\n");
    cudaFree(d);
    return 0;
}
