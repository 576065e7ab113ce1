// feature: events: record, synchronise, query, elapsed time
// area: runtime
#include <cstdio>

__global__ void work(float* data) {
    float x = data[threadIdx.x];
    for (int i = 0; i < 10000; i++) {
        x = x * 0.999f + 1.0f;
    }
    data[threadIdx.x] = x;
}

int main() {
    float *data, milliseconds = -1, none = -1;
    int wrong = 0;
    cudaMalloc(&data, 128 * sizeof(float));
    cudaMemset(data, 0, 128 * sizeof(float));
    cudaEvent_t start, stop;
    wrong += cudaEventCreate(&start) != cudaSuccess;
    wrong += cudaEventCreateWithFlags(&stop, cudaEventBlockingSync) != cudaSuccess;
    wrong += cudaEventRecord(start) != cudaSuccess;
    work<<<1, 128>>>(data);
    wrong += cudaEventRecord(stop, 0) != cudaSuccess;
    wrong += cudaEventSynchronize(stop) != cudaSuccess;
    wrong += cudaEventQuery(stop) != cudaSuccess;
    wrong += cudaEventElapsedTime(&milliseconds, start, stop) != cudaSuccess;
    wrong += !(milliseconds > 0);
    wrong += cudaEventElapsedTime(&none, start, start) != cudaSuccess || none != 0;
    wrong += cudaEventDestroy(start) != cudaSuccess || cudaEventDestroy(stop) != cudaSuccess;
    cudaFree(data);
    if (wrong) {
        std::printf("%d checks failed, %g ms\n", wrong, milliseconds);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
