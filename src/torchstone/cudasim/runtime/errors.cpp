// Error codes: their texts, and the state of cudaGetLastError.
#include <atomic>

#include "memory.h"
#include "runtime.h"

namespace cusim {
namespace {

// Each host thread has its own last error; a kernel fault is shared by all.
thread_local cudaError_t last = cudaSuccess;
std::atomic<cudaError_t> sticky{cudaSuccess};

struct ErrorText {
    cudaError_t error;
    const char *name, *text;
};
#define CUSIM_TEXT(ERROR, TEXT) {ERROR, #ERROR, TEXT}
constexpr ErrorText error_texts[] = {
    CUSIM_TEXT(cudaSuccess, "no error"),
    CUSIM_TEXT(cudaErrorInvalidValue, "invalid argument"),
    CUSIM_TEXT(cudaErrorMemoryAllocation, "out of memory"),
    CUSIM_TEXT(cudaErrorInitializationError, "initialization error"),
    CUSIM_TEXT(cudaErrorCudartUnloading, "driver shutting down"),
    CUSIM_TEXT(cudaErrorProfilerDisabled, "profiler disabled while using external tool"),
    CUSIM_TEXT(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    CUSIM_TEXT(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    CUSIM_TEXT(cudaErrorInvalidSymbol, "invalid device symbol"),
    CUSIM_TEXT(cudaErrorInvalidHostPointer, "invalid host pointer"),
    CUSIM_TEXT(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    CUSIM_TEXT(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    CUSIM_TEXT(cudaErrorInsufficientDriver,
               "CUDA driver version is insufficient for CUDA runtime version"),
    CUSIM_TEXT(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    CUSIM_TEXT(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    CUSIM_TEXT(cudaErrorInvalidDeviceFunction, "invalid device function"),
    CUSIM_TEXT(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    CUSIM_TEXT(cudaErrorInvalidDevice, "invalid device ordinal"),
    CUSIM_TEXT(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    CUSIM_TEXT(cudaErrorDeviceUninitialized, "invalid device context"),
    CUSIM_TEXT(cudaErrorNoKernelImageForDevice,
               "no kernel image is available for execution on the device"),
    CUSIM_TEXT(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    CUSIM_TEXT(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    CUSIM_TEXT(cudaErrorPeerAccessUnsupported,
               "peer access is not supported between these two devices"),
    CUSIM_TEXT(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    CUSIM_TEXT(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    CUSIM_TEXT(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    CUSIM_TEXT(cudaErrorIllegalState,
               "the operation cannot be performed in the present state"),
    CUSIM_TEXT(cudaErrorSymbolNotFound, "named symbol not found"),
    CUSIM_TEXT(cudaErrorNotReady, "device not ready"),
    CUSIM_TEXT(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    CUSIM_TEXT(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    CUSIM_TEXT(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    CUSIM_TEXT(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    CUSIM_TEXT(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    CUSIM_TEXT(cudaErrorSetOnActiveProcess,
               "cannot set while device is active in this process"),
    CUSIM_TEXT(cudaErrorContextIsDestroyed, "context is destroyed"),
    CUSIM_TEXT(cudaErrorAssert, "device-side assert triggered"),
    CUSIM_TEXT(cudaErrorHostMemoryAlreadyRegistered,
               "part or all of the requested memory range is already mapped"),
    CUSIM_TEXT(cudaErrorHostMemoryNotRegistered,
               "pointer does not correspond to a registered memory region"),
    CUSIM_TEXT(cudaErrorHardwareStackError, "hardware stack error"),
    CUSIM_TEXT(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    CUSIM_TEXT(cudaErrorMisalignedAddress, "misaligned address"),
    CUSIM_TEXT(cudaErrorInvalidAddressSpace,
               "operation not supported on global/shared address space"),
    CUSIM_TEXT(cudaErrorInvalidPc, "invalid program counter"),
    CUSIM_TEXT(cudaErrorLaunchFailure, "unspecified launch failure"),
    CUSIM_TEXT(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    CUSIM_TEXT(cudaErrorNotPermitted, "operation not permitted"),
    CUSIM_TEXT(cudaErrorNotSupported, "operation not supported"),
    CUSIM_TEXT(cudaErrorUnknown, "unknown error"),
};
#undef CUSIM_TEXT

const ErrorText* find_text(cudaError_t error) {
    for (const ErrorText& one : error_texts) {
        if (one.error == error) {
            return &one;
        }
    }
    return nullptr;
}

}  // namespace

cudaError_t note(cudaError_t error) {
    if (const cudaError_t fault = sticky) {
        return fault;
    }
    if (error) {
        last = error;
    }
    return error;
}

cudaError_t note_launch(cudaError_t error) {
    switch (error) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
            sticky = last = error;
            return error;
        default:
            return note(error);
    }
}

cudaError_t sticky_error() { return sticky; }

}  // namespace cusim

using namespace cusim;

extern "C" {

cudaError_t cusim_note(cudaError_t error) { return note(error); }
// As after cudaDeviceReset, but memory is kept: Python's arrays outlive a failed kernel.
void cusim_forget_errors() { sticky = last = cudaSuccess; }

cudaError_t cudaDeviceReset() {
    memory::release_all();
    sticky = last = cudaSuccess;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() {
    const cudaError_t fault = sticky, error = fault ? fault : last;
    last = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() {
    const cudaError_t fault = sticky;
    return fault ? fault : last;
}
const char* cudaGetErrorString(cudaError_t error) {
    const ErrorText* const known = find_text(error);
    return known ? known->text : "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t error) {
    const ErrorText* const known = find_text(error);
    return known ? known->name : "unrecognized error code";
}

}  // extern "C"
