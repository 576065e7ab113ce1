// expect: error cudaErrorCooperativeLaunchTooLarge
__global__ void nothing() {}

int main() {
    return cudaLaunchCooperativeKernel((void*)nothing, dim3(100000), dim3(1024), nullptr) !=
               cudaErrorCooperativeLaunchTooLarge ||
           cudaGetLastError() != cudaErrorCooperativeLaunchTooLarge;
}
