// The templates of the runtime API, for symbols and kernels of any type.
#pragma once

#include "cusim/runtime_api.h"

namespace cusim {
template <class T>
CUSIM_INLINE const void* place_of(const T& symbol) {
    return const_cast<const void*>(
        reinterpret_cast<const volatile void*>(&reinterpret_cast<const volatile char&>(symbol)));
}
}  // namespace cusim

template <class T>
CUSIM_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream = nullptr) {
    return cusim_copy_symbol(cusim::place_of(symbol), const_cast<void*>(from), size, offset, true,
                             kind, stream);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size,
                                            size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size,
                                                   size_t offset, cudaMemcpyKind kind,
                                                   cudaStream_t stream = nullptr) {
    return cusim_copy_symbol(cusim::place_of(symbol), to, size, offset, false, kind, stream);
}
template <class T>
CUSIM_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size,
                                              size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind);
}
template <class P, class T>
CUSIM_INLINE cudaError_t cudaGetSymbolAddress(P** address, const T& symbol) {
    return cusim_symbol(reinterpret_cast<void**>(address), nullptr, cusim::place_of(symbol));
}
template <class T>
CUSIM_INLINE cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
    return cusim_symbol(nullptr, size, cusim::place_of(symbol));
}

template <class F>
CUSIM_INLINE cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value) {
    return cusim_set_function_attribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class F>
CUSIM_INLINE cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
    return cusim_note(cudaSuccess);
}
template <class F>
CUSIM_INLINE cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) {
    return cusim_note(cudaSuccess);
}
template <class F>
CUSIM_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* function) {
    return cusim_function_attributes(attributes, reinterpret_cast<const void*>(function));
}
template <class F>
CUSIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, F*,
                                                                       int block_size,
                                                                       size_t shared_bytes) {
    return cusim_occupancy(count, block_size, shared_bytes);
}
template <class F>
CUSIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, F*,
                                                                                int block_size,
                                                                                size_t shared_bytes,
                                                                                unsigned) {
    return cusim_occupancy(count, block_size, shared_bytes);
}

// The block size with the most resident threads; the largest of several.
template <class F, class S>
CUSIM_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F*,
                                                                        S shared_bytes_of,
                                                                        int limit = 0) {
    int most = 0, multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    for (int size = limit > 0 && limit < 1024 ? limit : 1024; size > 0;
         size = size % 32 ? size - size % 32 : size - 32) {
        int count = 0;
        const cudaError_t error = cusim_occupancy(&count, size, shared_bytes_of(size));
        if (error) {
            return error;
        }
        if (count * size > most) {
            most = count * size;
            *block = size;
            *grid = count * multiprocessors;
        }
    }
    return cusim_note(most ? cudaSuccess : cudaErrorInvalidValue);
}
template <class F>
CUSIM_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function,
                                                            size_t shared_bytes = 0,
                                                            int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, function, [shared_bytes](int) { return shared_bytes; }, limit);
}
template <class F>
CUSIM_INLINE cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, F*,
                                                                   int num_blocks, int block_size) {
    int count = 0;
    *bytes = 0;
    const cudaError_t error = cusim_occupancy(&count, block_size, 0);
    if (error || num_blocks < 1 || count < num_blocks) {
        return cusim_note(error ? error : cudaErrorInvalidValue);
    }
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    const size_t share = properties.sharedMemPerMultiprocessor / static_cast<size_t>(num_blocks) -
                         properties.reservedSharedMemPerBlock;
    *bytes = share < properties.sharedMemPerBlockOptin ? share : properties.sharedMemPerBlockOptin;
    return cudaSuccess;
}

namespace cusim {
CUSIM_INLINE const char* name_of_kernel(const void* identity) {
    const KernelEntry* const entry = cusim_find_entry(identity);
    return entry ? entry->name : "cudaLaunchKernel";
}
// Arguments are given by address; their types are those of the kernel's parameters.
template <class... P, size_t... I>
CUSIM_INLINE cudaError_t launch_by_address(const Launch& launch, void (*kernel)(P...),
                                           void** arguments, std::index_sequence<I...>) {
    static_cast<void>(arguments);
    return static_cast<cudaError_t>(
        launch.run(kernel, *static_cast<std::decay_t<P>*>(arguments[I])...));
}
template <class... P>
CUSIM_INLINE cudaError_t launch_typed(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                      size_t shared_bytes, cudaStream_t stream, bool cooperative) {
    const char* const name = name_of_kernel(reinterpret_cast<const void*>(kernel));
    return launch_by_address(Launch(name, grid, block, shared_bytes, stream, cooperative), kernel,
                             arguments, std::index_sequence_for<P...>());
}
CUSIM_INLINE cudaError_t launch_untyped(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream,
                                        bool cooperative) {
    const KernelEntry* const entry = cusim_find_entry(kernel);
    if (!entry) {
        return cusim_note(cudaErrorInvalidDeviceFunction);
    }
    const Launch launch(entry->name, grid, block, shared_bytes, stream, cooperative);
    return static_cast<cudaError_t>(entry->run(*entry, launch, arguments));
}
}  // namespace cusim

template <class... P>
CUSIM_INLINE cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes = 0,
                                          cudaStream_t stream = nullptr) {
    return cusim::launch_typed(kernel, grid, block, arguments, shared_bytes, stream, false);
}
template <class... P>
CUSIM_INLINE cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                                     void** arguments, size_t shared_bytes = 0,
                                                     cudaStream_t stream = nullptr) {
    return cusim::launch_typed(kernel, grid, block, arguments, shared_bytes, stream, true);
}
CUSIM_INLINE cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes = 0,
                                          cudaStream_t stream = nullptr) {
    return cusim::launch_untyped(kernel, grid, block, arguments, shared_bytes, stream, false);
}
CUSIM_INLINE cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                                     void** arguments, size_t shared_bytes = 0,
                                                     cudaStream_t stream = nullptr) {
    return cusim::launch_untyped(kernel, grid, block, arguments, shared_bytes, stream, true);
}
