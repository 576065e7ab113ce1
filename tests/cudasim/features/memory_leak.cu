// feature: memory that is freed when its owner goes out of scope
// area: memory
#include <cstdio>
#include <utility>

template <typename T>
class Buffer {
   public:
    explicit Buffer(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
    ~Buffer() { cudaFree(data_); }
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    T* data() const { return data_; }
    size_t count() const { return count_; }

   private:
    T* data_ = nullptr;
    size_t count_;
};

__global__ void fill(int* out, int value) { out[threadIdx.x] = value; }

int main() {
    Buffer<int> first(64);
    Buffer<int> second(std::move(first));
    fill<<<1, 64>>>(second.data(), 3);
    int value = 0;
    cudaMemcpy(&value, second.data() + second.count() - 1, sizeof value, cudaMemcpyDeviceToHost);
    if (value != 3) {
        std::printf("the last value is %d\n", value);
    }
    return value != 3 || cudaGetLastError() != cudaSuccess;
}
