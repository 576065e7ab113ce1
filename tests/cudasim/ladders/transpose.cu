// Steps of turning a matrix, all sizes multiples of 32, by blocks of 32 x 8 threads; and a copy,
// which is the least that can be.
#define EDGE 32
#define ROWS 8

extern "C" __global__ void copied(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;
    for (int j = 0; j < EDGE; j += ROWS) out[(y + j) * width + x] = in[(y + j) * width + x];
}

extern "C" __global__ void naive(float* out, const float* in, int width, int height) {
    int x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;
    for (int j = 0; j < EDGE; j += ROWS) out[x * height + y + j] = in[(y + j) * width + x];
}

template <int PADDING>
__device__ void turn(float* out, const float* in, int width, int height) {
    __shared__ float tile[EDGE][EDGE + PADDING];
    int x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y;
    for (int j = 0; j < EDGE; j += ROWS) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * EDGE + threadIdx.x;
    y = blockIdx.x * EDGE + threadIdx.y;
    for (int j = 0; j < EDGE; j += ROWS) {
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

extern "C" __global__ void tiled(float* out, const float* in, int width, int height) {
    turn<0>(out, in, width, height);
}

extern "C" __global__ void padded(float* out, const float* in, int width, int height) {
    turn<1>(out, in, width, height);
}
