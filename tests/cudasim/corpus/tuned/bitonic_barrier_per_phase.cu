// expect: race
// Bitonic sort: one barrier per phase instead of one per step of the phase.
#include <vector>

__global__ void sort(int* data) {
    __shared__ int keys[128];
    unsigned tid = threadIdx.x;
    keys[tid] = data[tid];
    __syncthreads();
    for (unsigned size = 2; size <= 128; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned partner = tid ^ stride;
            if (partner > tid) {
                int low = keys[tid];       // <- race
                int high = keys[partner];  // <- race
                if ((low > high) == ((tid & size) == 0)) {
                    keys[tid] = high;     // <- race
                    keys[partner] = low;  // <- race
                }
            }
        }
        __syncthreads();
    }
    data[tid] = keys[tid];
}

int main() {
    const int n = 128;
    std::vector<int> data(n);
    for (int i = 0; i < n; ++i) data[i] = (i * 61 + 5) % 131;
    int* d_data;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sort<<<1, n>>>(d_data);
    cudaMemcpy(data.data(), d_data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    return 0;
}
