// expect: race
// Top-k by rounds: thread 0 resets the best value while others still look who has won.
#include <vector>

__global__ void topk(const int* in, int* out, int k) {
    __shared__ int best;
    int value = in[threadIdx.x];
    for (int round = 0; round < k; ++round) {
        if (threadIdx.x == 0) best = -1;  // <- race
        __syncthreads();
        atomicMax(&best, value * 128 + static_cast<int>(threadIdx.x));
        __syncthreads();
        if (best % 128 == threadIdx.x) {  // <- race
            out[round] = value;
            value = -1;
        }
    }
}

int main() {
    std::vector<int> in(96), out(5);
    for (int i = 0; i < 96; ++i) in[i] = i * 41 % 97;
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, out.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    topk<<<1, 96>>>(d_in, d_out, 5);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
