// feature: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D
// area: memory
#include <cstdio>

__global__ void transpose_signs(char* image, size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float* const row = reinterpret_cast<float*>(image + y * pitch);
        row[x] = -row[x];
    }
}

int main() {
    const int width = 33, height = 7;
    float host[height][width], back[height][width + 3] = {};
    for (int i = 0; i < width * height; i++) {
        host[i / width][i % width] = static_cast<float>(i);
    }
    char* image;
    size_t pitch = 0;
    int wrong = cudaMallocPitch(&image, &pitch, width * sizeof(float), height) != cudaSuccess;
    wrong += pitch < width * sizeof(float) || pitch % 32 != 0;
    wrong += cudaMemcpy2D(image, pitch, host, sizeof host[0], width * sizeof(float), height,
                          cudaMemcpyHostToDevice) != cudaSuccess;
    transpose_signs<<<dim3(2, 2), dim3(32, 4)>>>(image, pitch, width, height);
    wrong += cudaMemset2D(image + pitch, pitch, 0, 8, 2) != cudaSuccess;
    wrong += cudaMemcpy2DAsync(back, sizeof back[0], image, pitch, width * sizeof(float), height,
                               cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width + 3; x++) {
            const bool cleared = (y == 1 || y == 2) && x < 2;
            wrong += back[y][x] != (x < width && !cleared ? -host[y][x] : 0);
        }
    }
    wrong += cudaFree(image) != cudaSuccess;
    if (wrong) {
        std::printf("%d checks failed\n", wrong);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
