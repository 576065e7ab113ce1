// expect: RAW
__global__ void count(int* counter) { counter[0] = counter[0] + 1; }

int main() {
    int* counter;
    cudaMalloc(&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    count<<<1, 64>>>(counter);
    cudaDeviceSynchronize();
    cudaFree(counter);
    return 0;
}
