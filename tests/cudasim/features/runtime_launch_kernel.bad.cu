// expect: error cudaErrorInvalidDeviceFunction
#include <cstdio>

void on_host(int*) {}

int main() {
    int* out = nullptr;
    void* arguments[] = {&out};
    const cudaError_t error =
        cudaLaunchKernel((const void*)on_host, dim3(1), dim3(32), arguments, 0, 0);
    return error != cudaErrorInvalidDeviceFunction ||
           cudaGetLastError() != cudaErrorInvalidDeviceFunction;
}
