// expect: race
// Two threads set their own bit-field each, but both fields lie in one word.
#include <vector>

struct Cell {
    unsigned left : 12;
    unsigned right : 20;
};

__global__ void fill(Cell* cells) {
    Cell* cell = &cells[blockIdx.x];
    if (threadIdx.x == 0) cell->left = blockIdx.x + 1;    // <- race
    if (threadIdx.x == 32) cell->right = blockIdx.x * 3;  // <- race
}

int main() {
    const int n = 6;
    std::vector<Cell> cells(n);
    Cell* d_cells;
    cudaMalloc(&d_cells, n * sizeof(Cell));
    cudaMemset(d_cells, 0, n * sizeof(Cell));
    fill<<<n, 64>>>(d_cells);
    cudaMemcpy(cells.data(), d_cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
    cudaFree(d_cells);
    return 0;
}
