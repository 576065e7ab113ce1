// expect: uninitialized
template <typename T, int N>
__global__ void sum(T* out) {
    __shared__ T parts[N];
    if (threadIdx.x < N / 2) {
        parts[threadIdx.x] = static_cast<T>(threadIdx.x);
    }
    __syncthreads();
    out[threadIdx.x] = parts[threadIdx.x] + T(1);
}

int main() {
    float* out;
    cudaMalloc(&out, 64 * sizeof(float));
    sum<float, 64><<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
