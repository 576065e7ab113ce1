// expect: compile argument
__global__ void store(int* out, int value) { out[threadIdx.x] = value; }

int main() {
    int* out;
    cudaMalloc(&out, 128);
    store<<<1, 32>>>(out);
    cudaFree(out);
    return 0;
}
