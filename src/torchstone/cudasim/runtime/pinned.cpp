// Host memory accessible to the device, and pointer attributes.
#include <iterator>
#include <map>
#include <mutex>

#include "memory.h"
#include "runtime.h"

namespace cusim::memory {
namespace {

std::mutex lock;
std::map<char*, size_t>& registered() {
    static std::map<char*, size_t>& kept = *new std::map<char*, size_t>;
    return kept;
}

// The registered range with the largest start not after an address.
std::map<char*, size_t>::iterator range_before(const void* address) {
    auto at = registered().upper_bound(static_cast<char*>(const_cast<void*>(address)));
    return at == registered().begin() ? registered().end() : std::prev(at);
}

bool is_inside(const Allocation& found, const void* address) {
    return !found.is_freed && address >= found.begin && address < found.begin + found.size;
}

}  // namespace

bool is_registered(const void* address, size_t size) {
    const std::lock_guard<std::mutex> hold(lock);
    const auto at = range_before(address);
    if (at == registered().end()) {
        return false;
    }
    const size_t before = static_cast<size_t>(static_cast<const char*>(address) - at->first);
    return before <= at->second && size <= at->second - before;
}

void forget_registered() {
    const std::lock_guard<std::mutex> hold(lock);
    registered().clear();
}

}  // namespace cusim::memory

using namespace cusim;
using namespace cusim::memory;

extern "C" {

cudaError_t cudaHostRegister(void* address, size_t size, unsigned) {
    if (!address || size == 0) {
        return note(cudaErrorInvalidValue);
    }
    char* const begin = static_cast<char*>(address);
    const std::lock_guard<std::mutex> hold(lock);
    const auto before = range_before(begin + size - 1);
    if (is_device(address) ||
        (before != registered().end() && before->first + before->second > begin)) {
        return note(cudaErrorHostMemoryAlreadyRegistered);
    }
    registered()[begin] = size;
    return note(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* address) {
    const std::lock_guard<std::mutex> hold(lock);
    const bool was_there = registered().erase(static_cast<char*>(address)) != 0;
    return note(was_there ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cusim_host_pointer(void** device, void* host) {
    Allocation found;
    const bool is_pinned = find(host, found) && is_inside(found, host) && found.kind == Kind::host;
    if (!device || !(is_pinned || is_registered(host, 1))) {
        return note(cudaErrorInvalidValue);
    }
    *device = host;
    return note(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* address) {
    void* device = nullptr;
    const cudaError_t error = cusim_host_pointer(&device, address);
    if (!error) {
        *flags = cudaHostAllocMapped;
    }
    return error;
}

cudaError_t cusim_managed_hint(const void* address, size_t size, int device) {
    Allocation found;
    const bool is_managed =
        find(address, found) && is_inside(found, address) &&
        static_cast<const char*>(address) + size <= found.begin + found.size &&
        found.kind == Kind::managed;
    memory::Symbol symbol;
    if (!is_managed && !find_symbol(address, symbol)) {
        return note(cudaErrorInvalidValue);
    }
    return note(device == 0 || device == cudaCpuDeviceId ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, const_cast<void*>(address)};
    Allocation found;
    if (find(address, found) && is_inside(found, address)) {
        const bool on_host = found.kind == Kind::host;
        const bool managed = found.kind == Kind::managed;
        *attributes = {on_host    ? cudaMemoryTypeHost
                       : managed  ? cudaMemoryTypeManaged
                                  : cudaMemoryTypeDevice,
                       0, const_cast<void*>(address),
                       on_host || managed ? const_cast<void*>(address) : nullptr};
    } else if (is_registered(address, 1)) {
        *attributes = {cudaMemoryTypeHost, 0, const_cast<void*>(address),
                       const_cast<void*>(address)};
    }
    return note(cudaSuccess);
}

}  // extern "C"
