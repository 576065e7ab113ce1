// expect: nothing
// Bitonic sort of one block: the thread with the lower index of a pair does both accesses.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void sort(int* data) {
    extern __shared__ int keys[];
    unsigned tid = threadIdx.x, n = blockDim.x;
    keys[tid] = data[tid];
    __syncthreads();
    for (unsigned size = 2; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned partner = tid ^ stride;
            if (partner > tid) {
                bool ascending = (tid & size) == 0;
                int low = keys[tid], high = keys[partner];
                if ((low > high) == ascending) {
                    keys[tid] = high;
                    keys[partner] = low;
                }
            }
            __syncthreads();
        }
    }
    data[tid] = keys[tid];
}

int main() {
    const int n = 256;
    std::vector<int> data(n);
    for (int i = 0; i < n; ++i) data[i] = (i * 193 + 71) % 509;
    std::vector<int> want = data;
    std::sort(want.begin(), want.end());
    int* d_data;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sort<<<1, n, n * sizeof(int)>>>(d_data);
    cudaMemcpy(data.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    if (data != want) {
        printf("the keys are not in order\n");
        return 1;
    }
    return 0;
}
