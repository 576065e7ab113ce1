// expect: use-after-free
// may: invalid-free
// A device vector that frees in its destructor is copied by value into a host function, so the buffer is gone afterwards.
#include <cstdio>
#include <vector>

template <typename T>
class DeviceVector {
public:
    explicit DeviceVector(const std::vector<T>& h) : n_(int(h.size())) {
        cudaMalloc(&p_, n_ * sizeof(T));
        cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~DeviceVector() {
        cudaFree(p_);  // <- invalid-free
    }
    T* data() const { return p_; }
    int size() const { return n_; }
private:
    T* p_ = nullptr;
    int n_;
};

__global__ void axpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];  // <- use-after-free
}

static void add(float a, DeviceVector<float> x, const DeviceVector<float>& y) {
    axpy<<<(x.size() + 63) / 64, 64>>>(a, x.data(), y.data(), y.size());
}

int main() {
    const int n = 210;
    std::vector<float> h(n, 1.0f);
    DeviceVector<float> x(h), y(h);
    add(2.0f, x, y);
    add(3.0f, x, y);
    cudaMemcpy(h.data(), y.data(), n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[0]);
    return 0;
}
