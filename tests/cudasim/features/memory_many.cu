// feature: thousands of allocations, large and small, freed in another order
// area: memory
#include <cstdio>
#include <vector>

__global__ void touch(char* data, size_t size) {
    data[0] = 1;
    data[size - 1] = 2;
}

int main() {
    std::vector<char*> kept;
    std::vector<size_t> sizes;
    int wrong = 0;
    for (int i = 0; i < 4000; i++) {
        char* data;
        const size_t size = 1 + i * 37 % 5000;
        wrong += cudaMalloc(&data, size) != cudaSuccess;
        if (i % 100 == 0) {
            touch<<<1, 1>>>(data, size);
        }
        if (i % 3 == 0) {
            wrong += cudaFree(data) != cudaSuccess;
        } else {
            kept.push_back(data);
            sizes.push_back(size);
        }
    }
    for (size_t i = 0; i < kept.size(); i += 7) {
        touch<<<1, 1>>>(kept[i], sizes[i]);
        char last = 0;
        cudaMemcpy(&last, kept[i] + sizes[i] - 1, 1, cudaMemcpyDeviceToHost);
        wrong += last != 2;
    }
    for (size_t i = kept.size(); i-- > 0;) {
        wrong += cudaFree(kept[i]) != cudaSuccess;
    }
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
