// expect: out-of-bounds
// A template reads one element behind a __device__ array that has no initialiser.
__device__ float c[8];
template <int B>
__global__ void k(float* out) {
    float s = 0;
    for (int j = 0; j <= 8; ++j) s += c[j];  // <- out-of-bounds
    *out = s;
}
int main() {
    float *d;
    cudaMalloc(&d, sizeof(float));
    k<1><<<1, 1>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    return 0;
}
