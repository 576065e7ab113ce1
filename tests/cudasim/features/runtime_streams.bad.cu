// expect: error cudaErrorInvalidResourceHandle
__global__ void nothing() {}

int main() {
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventDestroy(event);
    return cudaEventRecord(event) != cudaErrorInvalidResourceHandle;
}
