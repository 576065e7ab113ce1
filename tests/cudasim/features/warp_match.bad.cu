// expect: deadlock
__global__ void never_together(int* out) {
    if (threadIdx.x != 5) {
        out[threadIdx.x] = static_cast<int>(__match_any_sync(0xffffffffu, threadIdx.x % 2));
    }
    __syncthreads();
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    never_together<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
