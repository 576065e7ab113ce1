// feature: pinned, mapped and registered memory of the host
// area: memory
#include <cstdio>
#include <cstdlib>

__global__ void twice(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] *= 2;
    }
}

int check(int* host, int* device, int n) {
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    twice<<<(n + 31) / 32, 32>>>(device, n);
    int wrong = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; i++) {
        wrong += host[i] != 2 * i;
    }
    return wrong;
}

int main() {
    const int n = 100;
    int wrong = 0;
    int *pinned, *mapped, *device, *back;
    wrong += cudaMallocHost(&pinned, n * sizeof(int)) != cudaSuccess;
    wrong += cudaMallocHost((void**)&back, n * sizeof(int)) != cudaSuccess;
    wrong += cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped) != cudaSuccess;
    wrong += cudaHostGetDevicePointer(&device, mapped, 0) != cudaSuccess;
    wrong += check(mapped, device, n);
    wrong += check(pinned, pinned, n);
    wrong += cudaMalloc(&device, n * sizeof(int)) != cudaSuccess;
    wrong += cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice) !=
             cudaSuccess;
    wrong += cudaMemcpyAsync(back, device, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; i++) {
        wrong += back[i] != 2 * i;
    }
    cudaFree(device);
    int* const plain = static_cast<int*>(std::malloc(n * sizeof(int)));
    wrong += cudaHostRegister(plain, n * sizeof(int), cudaHostRegisterMapped) != cudaSuccess;
    wrong += cudaHostGetDevicePointer((void**)&device, plain, 0) != cudaSuccess;
    wrong += check(plain, device, n);
    wrong += cudaHostUnregister(plain) != cudaSuccess;
    std::free(plain);
    wrong += cudaFreeHost(pinned) != cudaSuccess || cudaFreeHost(mapped) != cudaSuccess;
    wrong += cudaFreeHost(back) != cudaSuccess;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
