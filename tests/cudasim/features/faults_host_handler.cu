// feature: signals of the host program stay its own, before and after launches
// area: runtime
#include <csetjmp>
#include <csignal>
#include <cstdio>

#include <sys/mman.h>

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

static sigjmp_buf back;
static volatile int caught = 0;

static void on_signal(int) {
    caught = caught + 1;
    siglongjmp(back, 1);
}

int main() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    sigaction(SIGSEGV, &action, nullptr);
    int* out;
    cudaMalloc(&out, 128);
    volatile int* const nowhere = static_cast<int*>(
        mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    volatile int wrong = 0;
    for (volatile int round = 0; round < 3; round = round + 1) {
        fill<<<1, 32>>>(out);
        wrong = wrong + (cudaDeviceSynchronize() != cudaSuccess);
        if (sigsetjmp(back, 1) == 0) {
            *nowhere = 1;
            wrong = wrong + 1;
        }
    }
    cudaFree(out);
    if (wrong || caught != 3) {
        std::printf("%d signals arrived\n", caught);
    }
    return wrong || caught != 3 || cudaGetLastError() != cudaSuccess;
}
