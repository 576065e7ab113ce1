// expect: error cudaErrorInvalidValue
#include <cstdio>

__constant__ float table[16];

int main() {
    float host[32] = {};
    const cudaError_t error = cudaMemcpyToSymbol(table, host, sizeof host);
    return error != cudaErrorInvalidValue || cudaGetLastError() != cudaErrorInvalidValue;
}
