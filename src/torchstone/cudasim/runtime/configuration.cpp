// What a launch may ask for.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "findings.h"
#include "runtime.h"

namespace cusim {
namespace {

std::mutex lock;
std::map<const void*, int>& dynamic_limits() {
    static std::map<const void*, int>& kept = *new std::map<const void*, int>;
    return kept;
}

size_t dynamic_limit(const void* function) {
    const std::lock_guard<std::mutex> hold(lock);
    if (!function) {
        // An instance of a template, with arguments that the launch deduced: any that is known.
        int most = static_cast<int>(static_shared_limit);
        for (const auto& [other, limit] : dynamic_limits()) {
            most = cusim_find_entry(other) ? most : std::max(most, limit);
        }
        return static_cast<size_t>(most);
    }
    const auto raised = dynamic_limits().find(function);
    return raised == dynamic_limits().end()
               ? static_shared_limit
               : std::max<size_t>(static_shared_limit, static_cast<size_t>(raised->second));
}

}  // namespace

cudaError_t refuse_launch(const char* name, const void* identity, dim3 grid, dim3 block,
                          size_t shared_bytes, bool cooperative) {
    const uint64_t threads = uint64_t{block.x} * block.y * block.z;
    const auto wrong = [&](const char* what, cudaError_t error) {
        findings::configuration(
            name, std::string(what) + ": grid (" + std::to_string(grid.x) + ", " +
                      std::to_string(grid.y) + ", " + std::to_string(grid.z) + "), block (" +
                      std::to_string(block.x) + ", " + std::to_string(block.y) + ", " +
                      std::to_string(block.z) + "), " + std::to_string(shared_bytes) +
                      " bytes of dynamic shared memory");
        return error;
    };
    if (threads == 0 || uint64_t{grid.x} * grid.y * grid.z == 0) {
        return wrong("a grid or a block without threads", cudaErrorInvalidConfiguration);
    }
    if (threads > max_threads || block.x > 1024 || block.y > 1024 || block.z > 64) {
        return wrong("a block has at most 1024 threads, and at most 64 in z",
                     cudaErrorInvalidConfiguration);
    }
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
        return wrong("a grid has at most 65535 blocks in y and in z",
                     cudaErrorInvalidConfiguration);
    }
    const size_t most = dynamic_limit(identity);
    if (shared_bytes > most) {
        return wrong("more dynamic shared memory than the 48 KiB, or what cudaFuncSetAttribute set",
                     cudaErrorInvalidValue);
    }
    if (cooperative && uint64_t{grid.x} * grid.y * grid.z * ((threads + 31) / 32 * 32) >
                           max_resident_threads) {
        return wrong("a cooperative launch larger than the device holds at once (16 "
                     "multiprocessors of 2048 threads)",
                     cudaErrorCooperativeLaunchTooLarge);
    }
    return cudaSuccess;
}

}  // namespace cusim

using namespace cusim;

extern "C" {

void cusim_exceeds_bounds(long long max_threads) {
    const LaunchState& launch = *worker->launch;
    findings::configuration(launch.name,
                            "a block of " + std::to_string(launch.num_threads) +
                                " threads, and __launch_bounds__ allows " +
                                std::to_string(max_threads));
    leave_kernel(cudaErrorLaunchOutOfResources);
}

cudaError_t cusim_set_function_attribute(const void* function, cudaFuncAttribute attribute,
                                         int value) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || static_cast<size_t>(value) > shared_limit) {
            return note(cudaErrorInvalidValue);
        }
        const std::lock_guard<std::mutex> hold(lock);
        dynamic_limits()[function] = value;
    }
    return note(cudaSuccess);
}

cudaError_t cusim_function_attributes(cudaFuncAttributes* attributes, const void* function) {
    if (!attributes || !function) {
        return note(attributes ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    }
    *attributes = cudaFuncAttributes{};
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxThreadsPerBlock = static_cast<int>(max_threads);
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_limit(function));
    return note(cudaSuccess);
}

}  // extern "C"
