// expect: misaligned
struct __builtin_align__(16) Four {
    float v[4];
};
__global__ void copy(const char* in, Four* out) {
    *out = *reinterpret_cast<const Four*>(in + 4);
}

int main() {
    char* in;
    Four* out;
    cudaMalloc(&in, 64);
    cudaMalloc(&out, sizeof(Four));
    cudaMemset(in, 0, 64);
    copy<<<1, 1>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
