// feature: grids and blocks of one, two and three dimensions
// area: language
#include <cstdio>

__global__ void mark(int* hits, int* shape) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    const unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    atomicAdd(&hits[(z * height + y) * width + x], 1);
    if (x + y + z == 0) {
        shape[0] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
        shape[1] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
        shape[2] = warpSize;
    }
}

int check(dim3 grid, dim3 block) {
    const int n = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    int *hits, *host = new int[n + 3];
    cudaMalloc(&hits, (n + 3) * sizeof(int));
    cudaMemset(hits, 0, (n + 3) * sizeof(int));
    mark<<<grid, block>>>(hits, hits + n);
    cudaMemcpy(host, hits, (n + 3) * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(hits);
    int wrong = host[n] != static_cast<int>(grid.x * 100 + grid.y * 10 + grid.z);
    wrong += host[n + 1] != static_cast<int>(block.x * 10000 + block.y * 100 + block.z);
    wrong += host[n + 2] != 32;
    for (int i = 0; i < n; i++) {
        wrong += host[i] != 1;
    }
    delete[] host;
    return wrong;
}

int main() {
    int wrong = check(5, 33) + check(dim3(3, 2), dim3(8, 4)) + check(dim3(2, 3, 2), dim3(4, 3, 5));
    wrong += check(1, 1) + check(dim3(1, 2, 3), 64) + check(2, dim3(1, 1, 64));
    if (wrong) {
        std::printf("%d counts are wrong\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
