// The runtime API. Streams and asynchronous copies are executed immediately and in order: one of
// the orders possible on a GPU.
#pragma once

#include "cusim/abi.h"
#include "cusim/launch.h"
#include "cusim/runtime_types.h"

extern "C" {
cudaError_t cusim_malloc(void** address, size_t size, bool managed);
cudaError_t cusim_host_alloc(void** address, size_t size);
cudaError_t cusim_host_pointer(void** device, void* host);
cudaError_t cusim_pitch(size_t* pitch, size_t width, size_t height);
cudaError_t cudaFree(void* address);
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaHostRegister(void* address, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void* address);
cudaError_t cudaHostGetFlags(unsigned* flags, void* address);
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t size);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* address, int value, size_t size);
cudaError_t cudaMemsetAsync(void* address, int value, size_t size, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cusim_managed_hint(const void* address, size_t size, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address);

cudaError_t cusim_symbol(void** address, size_t* size, const void* symbol);
cudaError_t cusim_copy_symbol(const void* symbol, void* memory, size_t size, size_t offset, bool to,
                              cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* argument, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                     unsigned flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cusim_set_function_attribute(const void* function, cudaFuncAttribute attribute,
                                         int value);
cudaError_t cusim_function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t cusim_occupancy(int* num_blocks, int block_size, size_t shared_bytes);
const cusim::KernelEntry* cusim_find_entry(const void* identity);
// Record an error for cudaGetLastError, as functions in headers must do too.
cudaError_t cusim_note(cudaError_t error);
}

CUSIM_INLINE cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
    return cudaEventCreateWithFlags(event, flags);
}

template <class T>
CUSIM_INLINE cudaError_t cudaMalloc(T** address, size_t size) {
    return cusim_malloc(reinterpret_cast<void**>(address), size, false);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMallocAsync(T** address, size_t size, cudaStream_t) {
    return cusim_malloc(reinterpret_cast<void**>(address), size, false);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMallocManaged(T** address, size_t size,
                                           unsigned = cudaMemAttachGlobal) {
    return size ? cusim_malloc(reinterpret_cast<void**>(address), size, true)
                : cusim_note(cudaErrorInvalidValue);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMallocHost(T** address, size_t size, unsigned = 0) {
    return cusim_host_alloc(reinterpret_cast<void**>(address), size);
}
template <class T>
CUSIM_INLINE cudaError_t cudaHostAlloc(T** address, size_t size, unsigned) {
    return cusim_host_alloc(reinterpret_cast<void**>(address), size);
}
template <class T>
CUSIM_INLINE cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
    return cusim_host_pointer(reinterpret_cast<void**>(device), host);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMallocPitch(T** address, size_t* pitch, size_t width, size_t height) {
    const cudaError_t error = cusim_pitch(pitch, width, height);
    return error ? error
                 : cusim_malloc(reinterpret_cast<void**>(address), *pitch * height, false);
}

// Before 13.0 the location was a device number.
CUSIM_INLINE cudaError_t cudaMemPrefetchAsync(const void* address, size_t size, int device,
                                              cudaStream_t = nullptr) {
    return cusim_managed_hint(address, size, device);
}
CUSIM_INLINE cudaError_t cudaMemPrefetchAsync(const void* address, size_t size,
                                              cudaMemLocation place, unsigned,
                                              cudaStream_t = nullptr) {
    return cusim_managed_hint(address, size,
                              place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : place.id);
}
CUSIM_INLINE cudaError_t cudaMemAdvise(const void* address, size_t size, cudaMemoryAdvise,
                                       int device) {
    return cusim_managed_hint(address, size, device);
}
CUSIM_INLINE cudaError_t cudaMemAdvise(const void* address, size_t size, cudaMemoryAdvise,
                                       cudaMemLocation place) {
    return cusim_managed_hint(address, size,
                              place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : place.id);
}

#include "cusim/runtime_templates.h"
