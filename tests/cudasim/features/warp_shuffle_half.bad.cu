// expect: compile __shfl_*_sync takes int
struct Pair {
    int a, b;
};

__global__ void of_a_structure(int* out) {
    const Pair mine{1, 2};
    out[threadIdx.x] = __shfl_sync(0xffffffffu, mine, 0).a;
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    of_a_structure<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
