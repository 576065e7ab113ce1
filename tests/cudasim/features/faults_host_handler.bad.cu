// expect: out-of-bounds
#include <csignal>

#include <unistd.h>

__global__ void wild(int* data) { data[threadIdx.x] = 1; }

static void on_signal(int) { _exit(3); }

int main() {
    // A kernel's fault is none of the host's: this handler is not called.
    std::signal(SIGSEGV, on_signal);
    wild<<<1, 32>>>(nullptr);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
