// expect: compile the tile must be a multiple of a warp
template <int Tile>
__global__ void tiled(float* out) {
    static_assert(Tile % 32 == 0, "the tile must be a multiple of a warp");
    out[threadIdx.x] = Tile;
}

int main() {
    float* out;
    cudaMalloc(&out, 256);
    tiled<48><<<1, 48>>>(out);
    cudaFree(out);
    return 0;
}
