// feature: streams: flags, priorities, order, waiting for events, queries
// area: runtime
#include <cstdio>

__global__ void append(int* log, int* length, int value) { log[(*length)++] = value; }

int main() {
    int *log, *length, host[5], wrong = 0;
    cudaMalloc(&log, sizeof host);
    cudaMalloc(&length, sizeof(int));
    cudaMemset(length, 0, sizeof(int));
    int least = 1, greatest = 1, priority = 1;
    unsigned flags = 9;
    wrong += cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess || greatest > least;
    cudaStream_t a, b, c;
    wrong += cudaStreamCreate(&a) != cudaSuccess;
    wrong += cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) != cudaSuccess;
    wrong += cudaStreamCreateWithPriority(&c, cudaStreamNonBlocking, greatest) != cudaSuccess;
    wrong += cudaStreamGetPriority(c, &priority) != cudaSuccess || priority != greatest;
    wrong += cudaStreamGetFlags(b, &flags) != cudaSuccess || flags != cudaStreamNonBlocking;
    cudaEvent_t event;
    wrong += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
    cudaDeviceSynchronize();
    append<<<1, 1, 0, a>>>(log, length, 1);
    append<<<1, 1, 0, a>>>(log, length, 2);
    wrong += cudaEventRecord(event, a) != cudaSuccess;
    wrong += cudaStreamWaitEvent(b, event, 0) != cudaSuccess;
    append<<<1, 1, 0, b>>>(log, length, 3);
    wrong += cudaEventRecord(event, b) != cudaSuccess;
    wrong += cudaStreamWaitEvent(c, event) != cudaSuccess;
    append<<<1, 1, 0, c>>>(log, length, 4);
    wrong += cudaStreamSynchronize(c) != cudaSuccess;
    wrong += cudaStreamQuery(a) != cudaSuccess;
    cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++) {
        wrong += host[i] != i + 1;
    }
    append<<<1, 1, 0, cudaStreamPerThread>>>(log, length, 5);
    wrong += cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess;
    cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost);
    wrong += host[4] != 5;
    wrong += cudaEventDestroy(event) != cudaSuccess;
    wrong += cudaStreamDestroy(a) != cudaSuccess || cudaStreamDestroy(b) != cudaSuccess;
    wrong += cudaStreamDestroy(c) != cudaSuccess;
    cudaFree(log);
    cudaFree(length);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong != 0;
}
