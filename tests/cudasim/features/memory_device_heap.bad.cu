// expect: invalid-free
#include <cstdlib>

int main() {
    void* const on_host = std::malloc(64);
    const cudaError_t error = cudaFree(on_host);
    std::free(on_host);
    return error == cudaSuccess;
}
