// c = a b for square matrices of n rows, row by row in memory; n is a multiple of TILE.
//
// A block computes one tile of c. It walks along a row of tiles of a and down a column of tiles of
// b; each pair is brought into shared memory once and then read TILE times from there, so global
// memory is read 1 / TILE as often as without.
template <int TILE>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        a_tile[y][x] = a[row * n + start + x];
        b_tile[y][x] = b[(start + y) * n + column];
        __syncthreads();  // all of both tiles is there before anybody reads

        for (int k = 0; k < TILE; k++) {
            sum += a_tile[y][k] * b_tile[k][x];
        }
        __syncthreads();  // all have read before anybody overwrites
    }
    c[row * n + column] = sum;
}
