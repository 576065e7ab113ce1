// Two of the kernels as a compiler could write them that splits a kernel at its barriers: each region
// between two barriers becomes a loop over the threads of the block, and what a thread keeps from one
// region to the next becomes an array with an element for each thread.
namespace {
constexpr int TILE = 32;
constexpr int NUM_THREADS = 256;

template <bool BY_ROWS>
void multiply_block(const float* a, const float* b, float* c, int n, int block_x, int block_y) {
    static float a_tile[TILE][TILE], b_tile[TILE][TILE];
    static float sum[TILE][TILE];
    for (int y = 0; y < TILE; y++) {
        for (int x = 0; x < TILE; x++) {
            sum[y][x] = 0.0f;
        }
    }
    for (int start = 0; start < n; start += TILE) {
        for (int y = 0; y < TILE; y++) {
            for (int x = 0; x < TILE; x++) {
                a_tile[y][x] = a[(block_y * TILE + y) * n + start + x];
                b_tile[y][x] = b[(start + y) * n + block_x * TILE + x];
            }
        }
        if (BY_ROWS) {
            // The loop over k is the same for all threads, so it may be put around theirs.
            for (int y = 0; y < TILE; y++) {
                for (int k = 0; k < TILE; k++) {
                    for (int x = 0; x < TILE; x++) {
                        sum[y][x] += a_tile[y][k] * b_tile[k][x];
                    }
                }
            }
        } else {
            for (int y = 0; y < TILE; y++) {
                for (int x = 0; x < TILE; x++) {
                    float mine = sum[y][x];
                    for (int k = 0; k < TILE; k++) {
                        mine += a_tile[y][k] * b_tile[k][x];
                    }
                    sum[y][x] = mine;
                }
            }
        }
    }
    for (int y = 0; y < TILE; y++) {
        for (int x = 0; x < TILE; x++) {
            c[(block_y * TILE + y) * n + block_x * TILE + x] = sum[y][x];
        }
    }
}

template <bool BY_ROWS>
void multiply(const float* a, const float* b, float* c, int n) {
    for (int block_y = 0; block_y < n / TILE; block_y++) {
        for (int block_x = 0; block_x < n / TILE; block_x++) {
            multiply_block<BY_ROWS>(a, b, c, n, block_x, block_y);
        }
    }
}
}  // namespace

extern "C" {
void matmul_by_threads(const float* a, const float* b, float* c, int n) {
    multiply<false>(a, b, c, n);
}

void matmul_by_rows(const float* a, const float* b, float* c, int n) {
    multiply<true>(a, b, c, n);
}

void tree_by_threads(const float* x, float* out, int n) {
    static float parts[NUM_THREADS];
    for (int block = 0; block < (n + NUM_THREADS - 1) / NUM_THREADS; block++) {
        for (int thread = 0; thread < NUM_THREADS; thread++) {
            const int i = block * NUM_THREADS + thread;
            parts[thread] = i < n ? x[i] : 0.0f;
        }
        for (int half = NUM_THREADS / 2; half > 0; half /= 2) {
            for (int thread = 0; thread < NUM_THREADS; thread++) {
                if (thread < half) {
                    parts[thread] += parts[thread + half];
                }
            }
        }
        for (int thread = 0; thread < NUM_THREADS; thread++) {
            if (thread == 0) {
                out[block] = parts[0];
            }
        }
    }
}
}
