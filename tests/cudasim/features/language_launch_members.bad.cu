// expect: out-of-bounds
__global__ void put(int* out, int i) { out[i] = 1; }

struct Runner {
    void (*kernel)(int*, int);
    int* out;
    void run(int i) { kernel<<<1, 1>>>(out, i); }
};

int main() {
    Runner runner{put, nullptr};
    cudaMalloc(&runner.out, sizeof(int));
    runner.run(1);
    cudaDeviceSynchronize();
    cudaFree(runner.out);
    return 0;
}
