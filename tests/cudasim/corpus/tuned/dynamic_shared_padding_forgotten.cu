// expect: out-of-bounds
// The tile has a padded pitch of 17, the launch reserves 16 x 16 elements.
#include <vector>

constexpr int TILE = 16, PITCH = TILE + 1;

__global__ void transpose(const int* in, int* out) {
    extern __shared__ int tile[];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * PITCH + x] = in[y * TILE + x];  // <- out-of-bounds
    __syncthreads();
    out[y * TILE + x] = tile[x * PITCH + y];  // <- out-of-bounds
}

int main() {
    const int n = TILE * TILE;
    std::vector<int> in(n, 1), out(n);
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    transpose<<<1, dim3(TILE, TILE), TILE * TILE * sizeof(int)>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
