// feature: a process that forks after launches; parent and child go on
// area: runtime
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

__global__ void count(int* data) { atomicAdd(data, 1); }

int run(int* data) {
    int value = 0;
    cudaMemset(data, 0, sizeof(int));
    count<<<256, 256>>>(data);
    cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
    return value != 256 * 256;
}

int main() {
    int* data;
    if (cudaMalloc(&data, sizeof(int)) != cudaSuccess) {
        return 1;
    }
    int wrong = run(data);
    const pid_t child = fork();
    if (child == 0) {
        // A card's driver does not live on in a child; nothing here may hang or crash.
        const int of_child = run(data);
        _exit(of_child && cudaGetLastError() == cudaSuccess);
    }
    int status = 0;
    waitpid(child, &status, 0);
    wrong += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    wrong += run(data);
    cudaFree(data);
    if (wrong) {
        std::printf("%d runs failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
