// expect: error cudaErrorIllegalAddress
#include <sys/wait.h>
#include <unistd.h>

__global__ void wild(int* data) {
    if (blockIdx.x == 77) {
        data[(1LL << 38) + threadIdx.x] = 1;
    } else {
        data[0] = 1;
    }
}

int main() {
    // In a child, so that this process has a device that is not spoilt.
    const pid_t child = fork();
    if (child == 0) {
        int* data;
        cudaMalloc(&data, 128);
        wild<<<256, 256>>>(data);
        _exit(cudaDeviceSynchronize() != cudaErrorIllegalAddress);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int* data;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0 || cudaMalloc(&data, 4) != cudaSuccess ||
           cudaFree(data) != cudaSuccess;
}
