// expect: error cudaErrorInvalidDevice
int main() {
    cudaDeviceProp properties;
    int value;
    return cudaSetDevice(1000) != cudaErrorInvalidDevice ||
           cudaGetDeviceProperties(&properties, 1000) != cudaErrorInvalidDevice ||
           cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1) != cudaErrorInvalidDevice ||
           cudaGetLastError() != cudaErrorInvalidDevice;
}
