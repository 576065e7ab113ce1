// expect: race
// Rows in a given order: thread 0 stores the next index while others still read the last.
#include <vector>

__global__ void count_rows(const int* order, int rounds, float* data, int cols) {
    __shared__ int row;
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) row = order[round];  // <- race
        __syncthreads();
        int mine = row;  // <- race
        for (int i = threadIdx.x; i < cols; i += blockDim.x) {
            atomicAdd(&data[mine * cols + i], 1.0f);
        }
    }
}

int main() {
    const int rows = 9, cols = 80;
    std::vector<int> order = {4, 7, 0, 4, 8, 2, 2, 1};
    std::vector<float> data(rows * cols, 1.0f);
    int* d_order;
    float* d_data;
    cudaMalloc(&d_order, order.size() * sizeof(int));
    cudaMalloc(&d_data, data.size() * sizeof(float));
    cudaMemcpy(d_order, order.data(), order.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_data, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice);
    count_rows<<<1, 96>>>(d_order, static_cast<int>(order.size()), d_data, cols);
    cudaDeviceSynchronize();
    cudaFree(d_order);
    cudaFree(d_data);
    return 0;
}
