// expect: error cudaErrorInvalidPitchValue
int main() {
    static float host[4][64];
    char* image;
    size_t pitch;
    cudaMallocPitch(&image, &pitch, sizeof host[0], 4);
    const cudaError_t error =
        cudaMemcpy2D(image, pitch, host, 16, sizeof host[0], 4, cudaMemcpyHostToDevice);
    cudaFree(image);
    return error != cudaErrorInvalidPitchValue;
}
