// feature: device variables as symbols: to, from, offset, address, size
// area: memory
#include <cstdio>

struct State {
    int step;
    double values[3];
};

__device__ int counter;
__device__ float grid[4][8];
__device__ State state = {3, {1, 2, 3}};
__device__ float* pointer;
__constant__ int limits[4];
static __device__ short hidden = 77;
__device__ const int fixed[2] = {8, 9};

__global__ void work(int* out) {
    if (threadIdx.x == 0) {
        counter += limits[1] + hidden + fixed[1];
        state.step *= 2;
        state.values[2] += 0.5;
        pointer[3] = 42;
        out[0] = static_cast<int>(grid[2][5]);
    }
}

int main() {
    int wrong = 0;
    const int start = 10, some[2] = {100, 200};
    const float cell = 6.0f;
    wrong += cudaMemcpyToSymbol(counter, &start, sizeof start) != cudaSuccess;
    wrong += cudaMemcpyToSymbol(limits, some, sizeof some, sizeof(int)) != cudaSuccess;
    wrong += cudaMemcpyToSymbolAsync(grid, &cell, sizeof cell, 21 * sizeof(float),
                                     cudaMemcpyHostToDevice) != cudaSuccess;
    size_t size = 0;
    wrong += cudaGetSymbolSize(&size, grid) != cudaSuccess || size != 128;
    wrong += cudaGetSymbolSize(&size, state) != cudaSuccess || size != sizeof(State);
    float* address = nullptr;
    wrong += cudaGetSymbolAddress((void**)&address, grid) != cudaSuccess || !address;
    wrong += cudaMemcpyToSymbol(pointer, &address, sizeof address) != cudaSuccess;
    int *out, value = 0;
    cudaMalloc(&out, sizeof(int));
    wrong += cudaMemset(address, 0, 16) != cudaSuccess;
    work<<<1, 32>>>(out);
    wrong += cudaMemcpyFromSymbol(&value, counter, sizeof value) != cudaSuccess;
    wrong += value != 10 + 100 + 77 + 9;
    State back;
    wrong += cudaMemcpyFromSymbol(&back, state, sizeof back) != cudaSuccess;
    wrong += back.step != 6 || back.values[2] != 3.5 || back.values[0] != 1;
    double third = 0;
    wrong += cudaMemcpyFromSymbol(&third, state, sizeof third, sizeof(State) - sizeof third) !=
             cudaSuccess;
    wrong += third != 3.5;
    float row[4];
    wrong += cudaMemcpy(row, address, sizeof row, cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += row[0] != 0 || row[3] != 42;
    wrong += cudaMemcpyFromSymbol(out, counter, sizeof(int), 0, cudaMemcpyDeviceToDevice) !=
             cudaSuccess;
    wrong += cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += value != 196;
    cudaFree(out);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
