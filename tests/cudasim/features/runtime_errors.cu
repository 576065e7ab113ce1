// feature: error codes: names, texts, cudaGetLastError and cudaPeekAtLastError
// area: runtime
// finds: launch
#include <cstdio>
#include <cstring>

__global__ void nothing() {}

int main() {
    int wrong = 0;
    const struct {
        cudaError_t error;
        const char *name, *text;
    } known[] = {
        {cudaSuccess, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
         "invalid configuration argument"},
        {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
         "an illegal memory access was encountered"},
        {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
        {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout",
         "the launch timed out and was terminated"},
        {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
        {static_cast<cudaError_t>(12345), "unrecognized error code", "unrecognized error code"},
    };
    for (const auto& one : known) {
        if (std::strcmp(cudaGetErrorName(one.error), one.name) ||
            std::strcmp(cudaGetErrorString(one.error), one.text)) {
            std::printf("%d is %s: %s\n", one.error, cudaGetErrorName(one.error),
                        cudaGetErrorString(one.error));
            wrong++;
        }
    }
    wrong += cudaErrorInvalidValue != 1 || cudaErrorMemoryAllocation != 2 ||
             cudaErrorIllegalAddress != 700 || cudaErrorLaunchFailure != 719;
    // An error stays until it is asked for, and calls that succeed do not hide it.
    nothing<<<1, 5000>>>();
    int device;
    wrong += cudaGetDevice(&device) != cudaSuccess;
    wrong += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
    wrong += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
    wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
    wrong += cudaGetLastError() != cudaSuccess;
    nothing<<<1, 32>>>();
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong != 0;
}
