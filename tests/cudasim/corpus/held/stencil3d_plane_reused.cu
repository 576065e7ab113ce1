// expect: race
// 3-D 7-point stencil marching in z: the plane in shared memory is overwritten for the next z while neighbours still read.
#include <cstdio>
#include <cstdlib>
#include <utility>

#define BX 16
#define BY 4
#define IDX(x, y, z) ((x) + nx * ((y) + ny * (z)))

__global__ void stencil_3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float c0, float c1) {
    __shared__ float plane[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool in_grid = x < nx && y < ny;
    int cx = min(x, nx - 1), cy = min(y, ny - 1);
    float behind = in[IDX(cx, cy, 0)], current = in[IDX(cx, cy, 0)], infront = in[IDX(cx, cy, 1)];
    for (int z = 0; z < nz; ++z) {
        plane[ly][lx] = current;  // <- race
        if (threadIdx.x == 0) plane[ly][0] = in[IDX(max(cx - 1, 0), cy, z)];
        if (threadIdx.x == BX - 1) plane[ly][BX + 1] = in[IDX(min(cx + 1, nx - 1), cy, z)];
        if (threadIdx.y == 0) plane[0][lx] = in[IDX(cx, max(cy - 1, 0), z)];
        if (threadIdx.y == BY - 1) plane[BY + 1][lx] = in[IDX(cx, min(cy + 1, ny - 1), z)];
        __syncthreads();
        if (in_grid)
            out[IDX(x, y, z)] = c0 * current + c1 * (plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] + plane[ly + 1][lx] + behind + infront);  // <- race
        behind = current;
        current = infront;
        infront = in[IDX(cx, cy, min(z + 2, nz - 1))];
    }
}

int main() {
    int nx = 29, ny = 11, nz = 6;
    size_t bytes = sizeof(float) * nx * ny * nz;
    float *h = (float*)malloc(bytes), *a, *b;
    for (int i = 0; i < nx * ny * nz; ++i) h[i] = i % 23;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice);
    for (int step = 0; step < 2; ++step) {
        stencil_3d<<<dim3((nx + BX - 1) / BX, (ny + BY - 1) / BY), dim3(BX, BY)>>>(a, b, nx, ny, nz, -6.f, 1.f);
        std::swap(a, b);
    }
    cudaMemcpy(h, a, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", h[100]);
    cudaFree(a);
    cudaFree(b);
    free(h);
    return 0;
}
