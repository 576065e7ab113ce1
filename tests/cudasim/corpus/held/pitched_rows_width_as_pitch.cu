// expect: uninitialized
// Pitched image: the kernel walks rows with the width, not the pitch, and so reads the unwritten end of the rows.
#include <cstdio>
#include <vector>

__global__ void brighten(const unsigned char* img, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const int v = img[y * width + x] + 40;  // <- uninitialized
        out[y * width + x] = v > 255 ? 255 : v;
    }
}

int main() {
    const int width = 100, height = 30;
    std::vector<unsigned char> h(width * height, 77);
    unsigned char *d_img, *d_out;
    size_t pitch;
    cudaMallocPitch(&d_img, &pitch, width, height);
    cudaMalloc(&d_out, width * height);
    cudaMemcpy2D(d_img, pitch, h.data(), width, width, height, cudaMemcpyHostToDevice);
    dim3 threads(16, 4);
    brighten<<<dim3((width + 15) / 16, (height + 3) / 4), threads>>>(d_img, d_out, width, height);
    cudaMemcpy(h.data(), d_out, h.size(), cudaMemcpyDeviceToHost);
    printf("%d\n", h[5]);
    cudaFree(d_img);
    cudaFree(d_out);
    return 0;
}
