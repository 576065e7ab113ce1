// The simulated device and its properties.
#include <cstring>

#include "runtime.h"

using namespace cusim;

namespace {

constexpr size_t reserved_shared = 1024;  // per block, reserved by the system of a GPU
constexpr int max_blocks_per_multiprocessor = 32;
constexpr int threads_per_multiprocessor = 2048;

size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
unsigned device_flags = cudaDeviceScheduleAuto;
cudaFuncCache cache_config = cudaFuncCachePreferNone;
cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;

cudaError_t check_device(int device) {
    return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

void describe(cudaDeviceProp& p) {
    p = cudaDeviceProp{};
    std::strcpy(p.name, "cudasim");
    size_t free = 0;
    cudaMemGetInfo(&free, &p.totalGlobalMem);
    p.sharedMemPerBlock = static_shared_limit;
    p.sharedMemPerBlockOptin = shared_limit;
    p.sharedMemPerMultiprocessor = shared_limit + reserved_shared;
    p.reservedSharedMemPerBlock = reserved_shared;
    p.totalConstMem = 64 << 10;
    p.memPitch = 0x7fffffff;
    p.textureAlignment = p.surfaceAlignment = 512;
    p.texturePitchAlignment = 32;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.maxThreadsPerBlock = max_threads;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.clockRate = p.memoryClockRate = 1000000;
    p.memoryBusWidth = 256;
    p.l2CacheSize = 4 << 20;
    p.multiProcessorCount = num_multiprocessors;
    p.maxThreadsPerMultiProcessor = threads_per_multiprocessor;
    p.maxBlocksPerMultiProcessor = max_blocks_per_multiprocessor;
    p.major = 8;
    p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = p.canMapHostMemory = 1;
    p.cooperativeLaunch = p.concurrentKernels = p.deviceOverlap = p.asyncEngineCount = 1;
    p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
    p.computePreemptionSupported = p.memoryPoolsSupported = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
}

bool find_attribute(const cudaDeviceProp& p, cudaDeviceAttr attribute, int& value) {
    const struct {
        cudaDeviceAttr attribute;
        size_t value;
    } known[] = {
        {cudaDevAttrMaxThreadsPerBlock, max_threads},
        {cudaDevAttrMaxBlockDimX, 1024},
        {cudaDevAttrMaxBlockDimY, 1024},
        {cudaDevAttrMaxBlockDimZ, 64},
        {cudaDevAttrMaxGridDimX, 0x7fffffff},
        {cudaDevAttrMaxGridDimY, 65535},
        {cudaDevAttrMaxGridDimZ, 65535},
        {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, p.totalConstMem},
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMaxPitch, p.memPitch},
        {cudaDevAttrMaxRegistersPerBlock, 65536},
        {cudaDevAttrClockRate, 1000000},
        {cudaDevAttrTextureAlignment, 512},
        {cudaDevAttrGpuOverlap, 1},
        {cudaDevAttrMultiProcessorCount, num_multiprocessors},
        {cudaDevAttrKernelExecTimeout, 0},
        {cudaDevAttrIntegrated, 0},
        {cudaDevAttrCanMapHostMemory, 1},
        {cudaDevAttrComputeMode, cudaComputeModeDefault},
        {cudaDevAttrConcurrentKernels, 1},
        {cudaDevAttrEccEnabled, 0},
        {cudaDevAttrPciBusId, 0},
        {cudaDevAttrPciDeviceId, 0},
        {cudaDevAttrMemoryClockRate, 1000000},
        {cudaDevAttrGlobalMemoryBusWidth, 256},
        {cudaDevAttrL2CacheSize, 4 << 20},
        {cudaDevAttrMaxThreadsPerMultiProcessor, threads_per_multiprocessor},
        {cudaDevAttrAsyncEngineCount, 1},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrComputeCapabilityMajor, 8},
        {cudaDevAttrComputeCapabilityMinor, 0},
        {cudaDevAttrStreamPrioritiesSupported, 1},
        {cudaDevAttrGlobalL1CacheSupported, 1},
        {cudaDevAttrLocalL1CacheSupported, 1},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
        {cudaDevAttrManagedMemory, 1},
        {cudaDevAttrHostNativeAtomicSupported, 0},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
        {cudaDevAttrPageableMemoryAccess, 0},
        {cudaDevAttrConcurrentManagedAccess, 1},
        {cudaDevAttrComputePreemptionSupported, 1},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
        {cudaDevAttrHostRegisterSupported, 1},
        {cudaDevAttrMaxBlocksPerMultiprocessor, max_blocks_per_multiprocessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, reserved_shared},
        {cudaDevAttrMemoryPoolsSupported, 1},
    };
    for (const auto& one : known) {
        if (one.attribute == attribute) {
            value = static_cast<int>(one.value);
            return true;
        }
    }
    return false;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return note(cudaSuccess);
}
cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return check_device(device); }
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return note(cudaSuccess);
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    device_flags = flags;
    return note(cudaSuccess);
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = device_flags;
    return note(cudaSuccess);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties || device != 0) {
        return note(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    }
    describe(*properties);
    return note(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error) {
        return error;
    }
    return note(value && find_attribute(properties, attribute, *value) ? cudaSuccess
                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    if (!value || limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) {
        return note(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    }
    *value = limits[limit];
    return note(cudaSuccess);
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) {
        return note(cudaErrorUnsupportedLimit);
    }
    // 512 KiB of local memory is the maximum per thread on a GPU.
    if (limit == cudaLimitStackSize) {
        if (value > size_t{512} << 10) {
            return note(cudaErrorInvalidValue);
        }
        want_stack_bytes(value);
    }
    limits[limit] = value;
    return note(cudaSuccess);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    cache_config = config;
    return note(cudaSuccess);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cache_config;
    return note(cudaSuccess);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    bank_config = config;
    return note(cudaSuccess);
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = bank_config;
    return note(cudaSuccess);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = 0;
    return note(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return note(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return note(cudaErrorInvalidDevice); }
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return note(cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// Number of resident blocks per multiprocessor, as limited by threads and shared memory.
cudaError_t cusim_occupancy(int* num_blocks, int block_size, size_t shared_bytes) {
    if (!num_blocks || block_size <= 0) {
        return note(cudaErrorInvalidValue);
    }
    if (block_size > static_cast<int>(max_threads) || shared_bytes > shared_limit) {
        *num_blocks = 0;
        return note(cudaSuccess);
    }
    const int by_threads = threads_per_multiprocessor / ((block_size + 31) / 32 * 32);
    const int by_shared =
        static_cast<int>((shared_limit + reserved_shared) / (shared_bytes + reserved_shared));
    const int fewer = by_threads < by_shared ? by_threads : by_shared;
    *num_blocks = fewer < max_blocks_per_multiprocessor ? fewer : max_blocks_per_multiprocessor;
    return note(cudaSuccess);
}

}  // extern "C"
