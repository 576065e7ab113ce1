// expect: compile this scope is not supported by cudasim
#include <cuda/pipeline>

__global__ void of_a_device(int* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;
    out[threadIdx.x] = static_cast<int>(sizeof(state));
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(out, 0, 64 * sizeof(int));
    of_a_device<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
