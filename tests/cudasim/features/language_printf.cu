// feature: printf in kernels
// area: language
#include <cstdio>
#include <cstring>

#include <unistd.h>

__global__ void say(const char* word, float x) {
    if (threadIdx.x == 3) {
        printf("block %d thread %u: %s %.2f %lld %c%%\n", blockIdx.x, threadIdx.x, word, x,
               1LL << 40, 'z');
    }
}

int main() {
    char* word;
    cudaMallocManaged(&word, 8);
    std::strcpy(word, "hello");
    // What the kernel prints goes to the file descriptor of standard output.
    char path[] = "/tmp/printfXXXXXX";
    const int file = mkstemp(path), kept = dup(1);
    std::fflush(stdout);
    dup2(file, 1);
    say<<<1, 32>>>(word, 2.5f);
    cudaDeviceSynchronize();
    std::fflush(stdout);
    dup2(kept, 1);
    char text[128] = {};
    lseek(file, 0, SEEK_SET);
    const long length = read(file, text, sizeof text - 1);
    unlink(path);
    cudaFree(word);
    if (length < 0 || std::strcmp(text, "block 0 thread 3: hello 2.50 1099511627776 z%\n")) {
        std::printf("the kernel printed: %s\n", text);
        return 1;
    }
    return cudaGetLastError() != cudaSuccess;
}
