#if CUSIM_CHECK

#include "wild.h"

#include <utility>

#include "memory.h"
#include "places.h"
#include "runtime.h"

namespace cusim::detect {

using findings::say;

namespace {
unsigned oldest_near = 0;
}

void wild(const char* kind, const char* space, findings::Fact detail, const Access& access,
          int error) {
    findings::Finding finding;
    finding.kind = kind;
    finding.space = space;
    finding.detail = {std::move(detail)};
    finding.at = findings::here(access.pc, access.is_write);
    finding.access_bytes = access.size;
    finding.address = reinterpret_cast<uint64_t>(access.address);
    memory::Allocation near;
    if (memory::is_device(access.address) && memory::find(access.address, near)) {
        finding.offset = static_cast<const char*>(access.address) - near.begin;
        finding.allocation_bytes = near.size;
    } else if (*space == 's') {
        describe_place(finding, access.address, Space::shared);
    }
    findings::add(finding);
    leave_kernel(error);
}

void find_allocation(const Access& access) {
    memory::Allocation found;
    const uintptr_t address = reinterpret_cast<uintptr_t>(access.address);
    if (memory::find(access.address, found)) {
        const uintptr_t begin = reinterpret_cast<uintptr_t>(found.begin);
        if (address >= begin && address + access.size <= begin + found.size) {
            if (found.is_freed) {
                wild("use-after-free", "global", say("freed-before"), access,
                     cudaErrorIllegalAddress);
            }
            nearby[oldest_near++ % num_near] = {begin, begin + found.size};
            return;
        }
    }
    wild("out-of-bounds", "global", say("no-allocation"), access, cudaErrorIllegalAddress);
}

void find_shared_variable(size_t offset, const Access& access) {
    if (offset >= shared_space) {
        if (offset + access.size > shared_space + worker->launch->dynamic_bytes) {
            wild("out-of-bounds", "shared",
                 say("dynamic-shared-given", {{"bytes", worker->launch->dynamic_bytes}}), access,
                 cudaErrorIllegalAddress);
        }
        return;
    }
    for (const SharedVariable& one : shared_variables()) {
        if (offset >= one.begin && offset + access.size <= one.begin + one.size) {
            return;
        }
    }
    wild("out-of-bounds", "shared", say("no-shared-variable"), access, cudaErrorIllegalAddress);
}

}  // namespace cusim::detect

#endif
