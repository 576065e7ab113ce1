// feature: the device: count, properties, attributes, versions
// area: runtime
#include <cstdio>
#include <cstring>

int main() {
    int count = 0, device = -1, wrong = 0;
    wrong += cudaGetDeviceCount(&count) != cudaSuccess || count < 1;
    wrong += cudaSetDevice(0) != cudaSuccess;
    wrong += cudaGetDevice(&device) != cudaSuccess || device != 0;
    cudaDeviceProp p;
    wrong += cudaGetDeviceProperties(&p, 0) != cudaSuccess;
    wrong += std::strlen(p.name) == 0 || p.warpSize != 32 || p.maxThreadsPerBlock != 1024;
    wrong += p.maxThreadsDim[0] != 1024 || p.maxThreadsDim[2] != 64 || p.maxGridSize[1] != 65535;
    wrong += p.sharedMemPerBlock != 48 << 10 || p.totalConstMem != 64 << 10;
    wrong += p.multiProcessorCount < 1 || p.totalGlobalMem == 0 || p.major < 5;
    wrong += p.regsPerBlock < 32768 || p.maxThreadsPerMultiProcessor < 1024;
    const struct {
        cudaDeviceAttr attribute;
        int value;
    } same[] = {
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         static_cast<int>(p.sharedMemPerMultiprocessor)},
        {cudaDevAttrTotalConstantMemory, static_cast<int>(p.totalConstMem)},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
    };
    for (const auto& one : same) {
        int value = -1;
        const cudaError_t error = cudaDeviceGetAttribute(&value, one.attribute, 0);
        if (error != cudaSuccess || value != one.value) {
            std::printf("attribute %d is %d and not %d\n", one.attribute, value, one.value);
            wrong++;
        }
    }
    int runtime = 0, driver = 0;
    wrong += cudaRuntimeGetVersion(&runtime) != cudaSuccess || runtime < 11000;
    wrong += cudaDriverGetVersion(&driver) != cudaSuccess || driver < runtime / 1000 * 1000;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
