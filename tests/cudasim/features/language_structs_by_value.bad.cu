// expect: compile 32764
struct TooLarge {
    int values[8192];
};

__global__ void read(TooLarge large, int* out) { out[threadIdx.x] = large.values[threadIdx.x]; }

int main() {
    int* out;
    cudaMalloc(&out, 128);
    static TooLarge large;
    read<<<1, 32>>>(large, out);
    cudaFree(out);
    return 0;
}
