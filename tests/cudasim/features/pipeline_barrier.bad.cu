// expect: deadlock
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void one_too_many(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 65);
    }
    __syncthreads();
    barrier.arrive_and_wait();
    out[threadIdx.x] = 1;
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    one_too_many<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
