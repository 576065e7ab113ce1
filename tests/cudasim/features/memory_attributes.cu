// feature: cudaPointerGetAttributes
// area: memory
#include <cstdio>

int main() {
    int plain = 0, *device, *managed, *pinned, wrong = 0;
    cudaMalloc(&device, 256);
    cudaMallocManaged(&managed, 256);
    cudaMallocHost(&pinned, 256);
    cudaPointerAttributes attributes;
    wrong += cudaPointerGetAttributes(&attributes, device + 10) != cudaSuccess;
    wrong += attributes.type != cudaMemoryTypeDevice || attributes.devicePointer != device + 10;
    wrong += cudaPointerGetAttributes(&attributes, managed) != cudaSuccess;
    wrong += attributes.type != cudaMemoryTypeManaged || attributes.hostPointer != managed;
    wrong += cudaPointerGetAttributes(&attributes, pinned) != cudaSuccess;
    wrong += attributes.type != cudaMemoryTypeHost || attributes.hostPointer != pinned;
    wrong += cudaPointerGetAttributes(&attributes, &plain) != cudaSuccess;
    wrong += attributes.type != cudaMemoryTypeUnregistered;
    cudaFree(device);
    cudaFree(managed);
    cudaFreeHost(pinned);
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
