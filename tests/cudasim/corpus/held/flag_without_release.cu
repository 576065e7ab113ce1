// expect: RAW
// Chained blocks: the flag is raised by an atomic, but nothing orders the data before it.
#include <vector>

__device__ unsigned next_tile;

__global__ void running_sum(const int* in, int* prefix, int* ready) {
    if (threadIdx.x != 0) return;
    int tile = atomicAdd(&next_tile, 1u);  // the tile before is surely being worked on
    int before = 0;
    if (tile > 0) {
        while (atomicAdd(&ready[tile - 1], 0) == 0) {
        }
        before = prefix[tile - 1];  // <- RAW
    }
    prefix[tile] = before + in[tile];  // <- RAW
    atomicExch(&ready[tile], 1);
}

int main() {
    const int tiles = 8;
    std::vector<int> in(tiles, 3), out(tiles);
    int *d_in, *d_prefix, *d_ready;
    cudaMalloc(&d_in, tiles * sizeof(int));
    cudaMalloc(&d_prefix, tiles * sizeof(int));
    cudaMalloc(&d_ready, tiles * sizeof(int));
    cudaMemset(d_ready, 0, tiles * sizeof(int));
    cudaMemcpy(d_in, in.data(), tiles * sizeof(int), cudaMemcpyHostToDevice);
    running_sum<<<tiles, 32>>>(d_in, d_prefix, d_ready);
    cudaMemcpy(out.data(), d_prefix, tiles * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_prefix);
    cudaFree(d_ready);
    return 0;
}
