// expect: use-after-free
// A workspace from cudaMallocAsync goes back to the pool before the second kernel on the same stream uses it.
#include <cstdio>
#include <vector>

__global__ void square(const float* in, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = in[i] * in[i];
}

__global__ void neighbours(const float* scratch, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scratch[i] + (i + 1 < n ? scratch[i + 1] : 0.f);  // <- use-after-free
}

class Workspace {
  public:
    Workspace(size_t bytes, cudaStream_t s) : s_(s) { cudaMallocAsync(&p_, bytes, s_); }
    ~Workspace() { cudaFreeAsync(p_, s_); }
    template <class T>
    T* as() const { return static_cast<T*>(p_); }

  private:
    void* p_ = nullptr;
    cudaStream_t s_;
};

static float* prepare(const float* in, int n, cudaStream_t s) {
    Workspace w(n * sizeof(float), s);
    square<<<(n + 63) / 64, 64, 0, s>>>(in, w.as<float>(), n);
    return w.as<float>();
}

int main() {
    const int n = 130;
    std::vector<float> h(n, 3.f);
    float *in, *out;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpyAsync(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice, s);
    float* squares = prepare(in, n, s);
    neighbours<<<(n + 63) / 64, 64, 0, s>>>(squares, out, n);
    cudaStreamSynchronize(s);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(s);
    return 0;
}
