// expect: nothing
// Game of life on a torus, two boards that change places after each launch.
#include <cstdio>
#include <utility>
#include <vector>

__global__ void step(const unsigned char* board, unsigned char* next, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            alive += board[(y + dy + rows) % rows * cols + (x + dx + cols) % cols];
        }
    }
    next[y * cols + x] = alive == 3 || (alive == 2 && board[y * cols + x]);
}

int main() {
    const int rows = 19, cols = 23, n = rows * cols;
    std::vector<unsigned char> board(n), next(n);
    for (int i = 0; i < n; ++i) board[i] = (i * 2654435761u >> 13) % 3 == 0;
    unsigned char *d_board, *d_next;
    cudaMalloc(&d_board, n);
    cudaMalloc(&d_next, n);
    cudaMemcpy(d_board, board.data(), n, cudaMemcpyHostToDevice);
    for (int generation = 0; generation < 4; ++generation) {
        step<<<dim3(3, 3), dim3(8, 7)>>>(d_board, d_next, rows, cols);
        std::swap(d_board, d_next);
        for (int i = 0; i < n; ++i) {
            int alive = 0;
            for (int k = 0; k < 9; ++k) {
                int y = (i / cols + k / 3 - 1 + rows) % rows;
                int x = (i % cols + k % 3 - 1 + cols) % cols;
                if (k != 4) alive += board[y * cols + x];
            }
            next[i] = alive == 3 || (alive == 2 && board[i]);
        }
        board.swap(next);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(next.data(), d_board, n, cudaMemcpyDeviceToHost);
    cudaFree(d_board);
    cudaFree(d_next);
    if (board != next) printf("the boards differ\n");
    return board != next;
}
