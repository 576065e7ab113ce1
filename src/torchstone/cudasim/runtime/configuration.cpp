// Validation of launch configurations.
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
        // An instance of a template with deduced arguments: any known one.
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

std::string triple(dim3 sizes) {
    return "(" + std::to_string(sizes.x) + ", " + std::to_string(sizes.y) + ", " +
           std::to_string(sizes.z) + ")";
}

}  // namespace

using findings::say;

cudaError_t refuse_launch(const char* name, const void* identity, dim3 grid, dim3 block,
                          size_t shared_bytes, bool cooperative) {
    const uint64_t threads = uint64_t{block.x} * block.y * block.z;
    const auto wrong = [&](findings::Fact what, cudaError_t error) {
        findings::configuration(
            name, {std::move(what), say("launch-asked", {{"grid", triple(grid)},
                                                         {"block", triple(block)},
                                                         {"bytes", shared_bytes}})});
        return error;
    };
    if (threads == 0 || uint64_t{grid.x} * grid.y * grid.z == 0) {
        return wrong(say("launch-empty"), cudaErrorInvalidConfiguration);
    }
    if (threads > max_threads || block.x > 1024 || block.y > 1024 || block.z > 64) {
        return wrong(say("block-too-large"), cudaErrorInvalidConfiguration);
    }
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
        return wrong(say("grid-too-large"), cudaErrorInvalidConfiguration);
    }
    const size_t most = dynamic_limit(identity);
    if (shared_bytes > most) {
        return wrong(say("shared-too-large"), cudaErrorInvalidValue);
    }
    if (cooperative && uint64_t{grid.x} * grid.y * grid.z * ((threads + 31) / 32 * 32) >
                           max_resident_threads) {
        return wrong(say("cooperative-too-large"), cudaErrorCooperativeLaunchTooLarge);
    }
    return cudaSuccess;
}

}  // namespace cusim

using namespace cusim;

extern "C" {

void cusim_exceeds_bounds(long long max_threads) {
    const LaunchState& launch = *worker->launch;
    const uint64_t most = static_cast<uint64_t>(max_threads);
    findings::configuration(launch.name,
                            {findings::say("bounds-exceeded", {{"threads", launch.num_threads},
                                                               {"most", most}})});
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
