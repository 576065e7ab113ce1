// Steps of a matrix product c = a * b, all sizes multiples of 64. First step: neighbouring threads
// take neighbouring rows; then columns; tiles in shared memory; a column and then a square of
// results for each thread; and the last with 16 bytes by each load.
#define EDGE 16

extern "C" __global__ void rows_first(const float* a, const float* b, float* c, int m, int n,
                                      int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void columns_first(const float* a, const float* b, float* c, int m, int n,
                                         int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[EDGE][EDGE], right[EDGE][EDGE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * EDGE + y, column = blockIdx.x * EDGE + x;
    float sum = 0;
    for (int begin = 0; begin < k; begin += EDGE) {
        left[y][x] = a[row * k + begin + x];
        right[y][x] = b[(begin + y) * n + column];
        __syncthreads();
        for (int i = 0; i < EDGE; i++) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 64 x 64 results by 512 threads: each has eight, one below the other.
extern "C" __global__ void column_of_eight(const float* a, const float* b, float* c, int m, int n,
                                           int k) {
    __shared__ float left[64][8], right[8][64];
    int t = threadIdx.x, x = t % 64, y = t / 64;
    a += blockIdx.y * 64 * k;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sums[8] = {};
    for (int begin = 0; begin < k; begin += 8) {
        left[t / 8][t % 8] = a[t / 8 * k + begin + t % 8];
        right[y][x] = b[(begin + y) * n + x];
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            float one = right[i][x];
            for (int r = 0; r < 8; r++) sums[r] += left[y * 8 + r][i] * one;
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++) c[(y * 8 + r) * n + x] = sums[r];
}

// 64 x 64 results by 64 threads: each has a square of eight by eight.
extern "C" __global__ void square_of_eight(const float* a, const float* b, float* c, int m, int n,
                                           int k) {
    __shared__ float left[64][8], right[8][64];
    int t = threadIdx.x, x = t % 8, y = t / 8;
    a += blockIdx.y * 64 * k;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sums[8][8] = {};
    for (int begin = 0; begin < k; begin += 8) {
        for (int r = 0; r < 64; r += 8) left[r + t / 8][t % 8] = a[(r + t / 8) * k + begin + t % 8];
        for (int r = 0; r < 8; r++) right[r][t] = b[(begin + r) * n + t];
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            float column[8], row[8];
            for (int r = 0; r < 8; r++) column[r] = left[y * 8 + r][i];
            for (int s = 0; s < 8; s++) row[s] = right[i][x * 8 + s];
            for (int r = 0; r < 8; r++) {
                for (int s = 0; s < 8; s++) sums[r][s] += column[r] * row[s];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++) {
        for (int s = 0; s < 8; s++) c[(y * 8 + r) * n + x * 8 + s] = sums[r][s];
    }
}

// The same with a turned tile on the left, so that all is read by four at a time.
extern "C" __global__ void square_by_vectors(const float* a, const float* b, float* c, int m, int n,
                                             int k) {
    __shared__ float4 left[8][16], right[8][16];
    int t = threadIdx.x, x = t % 8, y = t / 8;
    a += blockIdx.y * 64 * k;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sums[8][8] = {};
    for (int begin = 0; begin < k; begin += 8) {
        for (int half = 0; half < 2; half++) {
            float4 four = *reinterpret_cast<const float4*>(&a[t * k + begin + half * 4]);
            float* turned = reinterpret_cast<float*>(&left[half * 4][0]) + t;
            turned[0] = four.x;
            turned[64] = four.y;
            turned[128] = four.z;
            turned[192] = four.w;
        }
        for (int r = t / 16; r < 8; r += 4) {
            right[r][t % 16] = *reinterpret_cast<const float4*>(&b[(begin + r) * n + t % 16 * 4]);
        }
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            float4 up = left[i][y * 2], down = left[i][y * 2 + 1];
            // The halves of a row lie apart, so that neighbouring threads read side by side.
            float4 near = right[i][x], far = right[i][8 + x];
            float column[8] = {up.x, up.y, up.z, up.w, down.x, down.y, down.z, down.w};
            float row[8] = {near.x, near.y, near.z, near.w, far.x, far.y, far.z, far.w};
            for (int r = 0; r < 8; r++) {
                for (int s = 0; s < 8; s++) sums[r][s] += column[r] * row[s];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++) {
        float* to = c + (y * 8 + r) * n;
        float* one = sums[r];
        *reinterpret_cast<float4*>(to + x * 4) = make_float4(one[0], one[1], one[2], one[3]);
        *reinterpret_cast<float4*>(to + 32 + x * 4) = make_float4(one[4], one[5], one[6], one[7]);
    }
}
