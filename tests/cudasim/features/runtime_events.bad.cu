// expect: error cudaErrorInvalidResourceHandle
int main() {
    cudaEvent_t start, stop;
    cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return error != cudaErrorInvalidResourceHandle;
}
