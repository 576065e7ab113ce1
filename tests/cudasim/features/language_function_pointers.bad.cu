// expect: error cudaErrorInvalidPc
typedef int (*Operation)(int);

__global__ void apply(Operation f, int* out) { out[threadIdx.x] = f(1); }

int main() {
    int* out;
    cudaMalloc(&out, 128);
    apply<<<1, 32>>>(nullptr, out);
    return cudaDeviceSynchronize() != cudaErrorInvalidPc;
}
