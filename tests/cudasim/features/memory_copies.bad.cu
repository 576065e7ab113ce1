// expect: error cudaErrorInvalidValue
#include <cstdlib>

int main() {
    float* device;
    float* const host = static_cast<float*>(std::calloc(2000, sizeof(float)));
    cudaMalloc(&device, 1000 * sizeof(float));
    if (cudaMemcpy(device, host, 2000 * sizeof(float), cudaMemcpyHostToDevice) !=
            cudaErrorInvalidValue ||
        cudaGetLastError() != cudaErrorInvalidValue) {
        return 1;
    }
    // The other way round: the device's memory is no source on the host.
    const cudaError_t turned = cudaMemcpy(device, host, 400, cudaMemcpyDeviceToHost);
    const cudaError_t null = cudaMemcpy(nullptr, host, 400, cudaMemcpyHostToDevice);
    std::free(host);
    return turned != cudaErrorInvalidValue || null != cudaErrorInvalidValue ||
           cudaFree(device) != cudaSuccess;
}
