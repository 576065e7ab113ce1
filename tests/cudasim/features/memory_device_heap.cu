// feature: malloc, free, new, delete, memcpy and memset in kernels
// area: memory
#include <cstdio>

struct Cell {
    int value;
    Cell* next;
};

__global__ void build(Cell** heads, int n) {
    Cell* head = nullptr;
    for (int i = 0; i < n; i++) {
        head = new Cell{i, head};
    }
    heads[threadIdx.x] = head;
}
__global__ void consume(Cell** heads, int* out) {
    int sum = 0;
    for (Cell* cell = heads[31 - threadIdx.x]; cell;) {
        sum += cell->value;
        Cell* const next = cell->next;
        delete cell;
        cell = next;
    }
    char* const bytes = static_cast<char*>(malloc(16));
    memset(bytes, 1, 16);
    int word;
    memcpy(&word, bytes + 4, sizeof word);
    free(bytes);
    int* const values = new int[8];
    for (int i = 0; i < 8; i++) {
        values[i] = i;
    }
    out[threadIdx.x] = sum + (word == 0x01010101) + values[7];
    delete[] values;
}

int main() {
    Cell** heads;
    int *out, host[32];
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    cudaMalloc(&heads, 32 * sizeof(Cell*));
    cudaMalloc(&out, sizeof host);
    build<<<1, 32>>>(heads, 10);
    consume<<<1, 32>>>(heads, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(heads);
    cudaFree(out);
    for (int i = 0; i < 32; i++) {
        if (host[i] != 45 + 1 + 7) {
            std::printf("out[%d] is %d\n", i, host[i]);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
