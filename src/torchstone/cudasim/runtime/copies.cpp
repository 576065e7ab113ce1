// Copies and memsets. Operations that are asynchronous on a GPU complete before the call returns.
#include <cstring>

#include "detect.h"
#include "memory.h"
#include "runtime.h"

using namespace cusim;

namespace {

enum class Side { host, device, any };

// Whether that many bytes are valid on that side. Ordinary host memory has no known bounds.
cudaError_t check_side(const void* address, size_t size, Side side) {
    if (!memory::is_device(address)) {
        memory::Symbol symbol;
        if (memory::find_symbol(address, symbol)) {
            const size_t before =
                static_cast<size_t>(static_cast<const char*>(address) - symbol.begin);
            return size > symbol.size - before || side == Side::host ? cudaErrorInvalidValue
                                                                      : cudaSuccess;
        }
        return side == Side::device && !memory::is_registered(address, size)
                   ? cudaErrorInvalidValue
                   : cudaSuccess;
    }
    memory::Allocation found;
    if (!memory::find(address, found) || found.is_freed || address < found.begin) {
        return cudaErrorInvalidValue;
    }
    const size_t before = static_cast<size_t>(static_cast<const char*>(address) - found.begin);
    if (before > found.size || size > found.size - before) {
        return cudaErrorInvalidValue;
    }
    return side == Side::host && found.kind == memory::Kind::device ? cudaErrorInvalidValue
                                                                    : cudaSuccess;
}

Side source_of(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDefault                                                ? Side::any
           : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? Side::device
                                                                                   : Side::host;
}
Side target_of(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDefault                                                ? Side::any
           : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? Side::device
                                                                                   : Side::host;
}

cudaError_t copy(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                 cudaStream_t stream = nullptr) {
    if (sticky_error()) {
        return sticky_error();
    }
    if (!takes_work(stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (size == 0) {
        return cudaSuccess;
    }
    if (!to || !from) {
        return cudaErrorInvalidValue;
    }
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    cudaError_t error = check_side(from, size, source_of(kind));
    error = error ? error : check_side(to, size, target_of(kind));
    if (error) {
        return error;
    }
    memory::Symbol symbol;
    if (!memory::is_device(to) && !memory::find_symbol(to, symbol)) {
        leaves_device();
    }
    std::memmove(to, from, size);
    detect::copied(to, from, size);
    return cudaSuccess;
}

cudaError_t set(void* address, int value, size_t size, cudaStream_t stream) {
    if (sticky_error()) {
        return sticky_error();
    }
    if (!takes_work(stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (size == 0) {
        return cudaSuccess;
    }
    const cudaError_t error = check_side(address, size, Side::device);
    if (error) {
        return error;
    }
    std::memset(address, value, size);
    detect::written_by_host(address, size);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
    return note(copy(to, from, size, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return note(copy(to, from, size, kind, stream));
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t size) {
    if (to_device != 0 || from_device != 0) {
        return note(cudaErrorInvalidDevice);
    }
    return note(copy(to, from, size, cudaMemcpyDeviceToDevice));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    if (width > to_pitch || width > from_pitch) {
        return note(cudaErrorInvalidPitchValue);
    }
    for (size_t row = 0; row < height; row++) {
        const cudaError_t error =
            copy(static_cast<char*>(to) + row * to_pitch,
                 static_cast<const char*>(from) + row * from_pitch, width, kind, stream);
        if (error) {
            return note(error);
        }
    }
    return note(cudaSuccess);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemsetAsync(void* address, int value, size_t size, cudaStream_t stream) {
    return note(set(address, value, size, stream));
}
cudaError_t cudaMemset(void* address, int value, size_t size) {
    return cudaMemsetAsync(address, value, size, nullptr);
}
cudaError_t cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    if (width > pitch) {
        return note(cudaErrorInvalidPitchValue);
    }
    for (size_t row = 0; row < height; row++) {
        const cudaError_t error =
            set(static_cast<char*>(address) + row * pitch, value, width, stream);
        if (error) {
            return note(error);
        }
    }
    return note(cudaSuccess);
}
cudaError_t cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height) {
    return cudaMemset2DAsync(address, pitch, value, width, height, nullptr);
}

cudaError_t cusim_symbol(void** address, size_t* size, const void* symbol) {
    memory::Symbol found;
    if (!memory::find_symbol(symbol, found)) {
        return note(cudaErrorInvalidSymbol);
    }
    if (address) {
        *address = found.begin;
    }
    if (size) {
        *size = found.size;
    }
    return note(cudaSuccess);
}

cudaError_t cusim_copy_symbol(const void* symbol, void* other, size_t size, size_t offset, bool to,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    memory::Symbol found;
    if (!memory::find_symbol(symbol, found)) {
        return note(cudaErrorInvalidSymbol);
    }
    if (kind == cudaMemcpyHostToHost ||
        kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice)) {
        return note(cudaErrorInvalidMemcpyDirection);
    }
    if (offset > found.size || size > found.size - offset) {
        return note(cudaErrorInvalidValue);
    }
    char* const place = found.begin + offset;
    return note(copy(to ? place : other, to ? other : place, size, kind, stream));
}

}  // extern "C"
