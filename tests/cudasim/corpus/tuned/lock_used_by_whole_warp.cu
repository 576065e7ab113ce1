// expect: nothing
// The first lane takes a lock for its warp, all lanes add to the guarded row, the first lane gives it back.
__global__ void add_rows(int* row, int* lock) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
    }
    __syncwarp();
    row[lane] += blockIdx.x;
    __threadfence();
    __syncwarp();
    if (lane == 0) atomicExch(lock, 0);
}

int main() {
    int* p;
    cudaMalloc(&p, 33 * sizeof(int));
    cudaMemset(p, 0, 33 * sizeof(int));
    add_rows<<<3, 64>>>(p, p + 32);
    cudaDeviceSynchronize();
    cudaFree(p);
}
