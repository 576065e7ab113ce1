// expect: race
// Game of life: the two board pointers are made equal by a wrong swap after the first generation.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned char cell;

__device__ __forceinline__ int wrap(int a, int m) { return a < 0 ? a + m : a >= m ? a - m : a; }

__global__ void generation(const cell* cur, cell* nxt, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx | dy) alive += cur[wrap(y + dy, h) * w + wrap(x + dx, w)];  // <- race
    nxt[y * w + x] = alive == 3 || (alive == 2 && cur[y * w + x]);  // <- race
}

int main() {
    const int w = 37, h = 22;
    std::vector<cell> board(w * h);
    for (int i = 0; i < w * h; i++) board[i] = (i * i + i / 3) % 5 < 2;
    cell *d_cur, *d_nxt, *keep_cur, *keep_nxt;
    cudaMalloc(&d_cur, w * h);
    cudaMalloc(&d_nxt, w * h);
    keep_cur = d_cur, keep_nxt = d_nxt;
    cudaMemcpy(d_cur, board.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(16, 8);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    for (int g = 0; g < 3; g++) {
        generation<<<grid, block>>>(d_cur, d_nxt, w, h);
        d_cur = d_nxt;
        d_nxt = d_cur;
    }
    cudaMemcpy(board.data(), d_cur, w * h, cudaMemcpyDeviceToHost);
    cudaFree(keep_cur);
    cudaFree(keep_nxt);
    printf("%d\n", board[5]);
    return 0;
}
