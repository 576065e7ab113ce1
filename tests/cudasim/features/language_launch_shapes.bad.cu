// expect: error cudaErrorInvalidConfiguration
__global__ void nothing() {}

int main() {
    nothing<<<1, 1025>>>();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) {
        return 1;
    }
    nothing<<<1, dim3(1, 1, 65)>>>();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) {
        return 1;
    }
    nothing<<<0, 32>>>();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) {
        return 1;
    }
    nothing<<<dim3(1, 65536), 32>>>();
    if (cudaGetLastError() != cudaErrorInvalidConfiguration) {
        return 1;
    }
    nothing<<<1, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
