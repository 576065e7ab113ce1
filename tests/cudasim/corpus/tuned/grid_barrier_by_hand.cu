// expect: nothing
// All threads of a cooperative launch count themselves and wait until everybody has come.
__global__ void meet(unsigned* count, unsigned* out) {
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x * blockDim.x) {
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
    unsigned *count, *out, host[128], sum = 0;
    cudaMalloc(&count, sizeof *count);
    cudaMalloc(&out, sizeof host);
    cudaMemset(count, 0, sizeof *count);
    void* arguments[] = {&count, &out};
    cudaLaunchCooperativeKernel(meet, dim3(4), dim3(32), arguments, 0, 0);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(count);
    cudaFree(out);
    for (unsigned each : host) sum += each;
    return sum != 128;
}
