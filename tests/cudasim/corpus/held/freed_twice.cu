// expect: invalid-free
// After some rounds of ping-pong the result has a second name, under which it is freed again.
#include <utility>

__global__ void add_one(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

int main() {
    int *d_front, *d_back, out[32];
    cudaMalloc(&d_front, sizeof(out));
    cudaMalloc(&d_back, sizeof(out));
    cudaMemset(d_front, 0, sizeof(out));
    for (int round = 0; round < 3; ++round) {
        add_one<<<1, 32>>>(d_front, d_back);
        std::swap(d_front, d_back);
    }
    int* d_result = d_front;
    cudaMemcpy(out, d_result, sizeof(out), cudaMemcpyDeviceToHost);
    cudaFree(d_front);
    cudaFree(d_back);
    cudaFree(d_result);  // <- invalid-free
    return 0;
}
