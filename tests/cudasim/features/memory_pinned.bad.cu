// expect: error cudaErrorHostMemoryNotRegistered
int main() {
    static int values[64];
    int* device;
    if (cudaHostGetDevicePointer(&device, values, 0) != cudaErrorInvalidValue) {
        return 1;
    }
    if (cudaHostRegister(values, sizeof values, cudaHostRegisterDefault) != cudaSuccess ||
        cudaHostRegister(values, sizeof values, cudaHostRegisterDefault) !=
            cudaErrorHostMemoryAlreadyRegistered ||
        cudaHostUnregister(values) != cudaSuccess) {
        return 1;
    }
    return cudaHostUnregister(values) != cudaErrorHostMemoryNotRegistered;
}
