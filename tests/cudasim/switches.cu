// What a switch of fibers has to keep: the stack, the numbers in registers, and where to go on.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int n = 1000, side = 24, tile = 8, width = 256;

__global__ void add(const float* a, const float* b, float* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

// Eight sums of each thread live in registers while it waits.
__global__ void matmul(const float* a, const float* b, double* c) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    double even = 0, odd = 0, squares = 1, count = 0, most = 0, last = 0, first = 0, all = 0;
    for (int step = 0; step < side; step += tile) {
        as[threadIdx.y][threadIdx.x] = a[row * side + step + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * side + column];
        __syncthreads();
        for (int k = 0; k < tile; k += 2) {
            even += as[threadIdx.y][k] * bs[k][threadIdx.x];
            odd += as[threadIdx.y][k + 1] * bs[k + 1][threadIdx.x];
        }
        squares *= 2;
        count += 1;
        most = count > most ? count : most;
        last = step;
        first += step == 0 ? row : 0;
        all += row + column;
        __syncthreads();
    }
    bool kept = squares == 8 && count == 3 && most == 3 && last == side - tile && first == row &&
                all == 3 * (row + column);
    c[row * side + column] = kept ? even + odd : -1;
}

__global__ void warp_sums(const float* in, float* out) {
    float sum = in[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

// One barrier for each halving, and as many rounds as make thousands of switches.
__global__ void tree(const float* in, float* out, int rounds) {
    extern __shared__ float partial[];
    float total = 0;
    for (int round = 0; round < rounds; round++) {
        partial[threadIdx.x] = in[threadIdx.x] + round;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
            __syncthreads();
        }
        total += partial[0];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = total;
}

template <class T>
T* on_device(const std::vector<T>& host) {
    T* device;
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <class T>
std::vector<T> on_host(const T* device, size_t count) {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
}

int main() {
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i % 17;
        b[i] = i % 23 - 11;
    }
    float *da = on_device(a), *db = on_device(b), *out = on_device(a);
    double* product = on_device(std::vector<double>(side * side));
    int wrong = 0;

    add<<<(n + 127) / 128, 128>>>(da, db, out);
    std::vector<float> sums = on_host(out, n);
    for (int i = 0; i < n; i++) wrong += sums[i] != a[i] + b[i];

    matmul<<<dim3(side / tile, side / tile), dim3(tile, tile)>>>(da, db, product);
    std::vector<double> c = on_host(product, side * side);
    for (int row = 0; row < side; row++) {
        for (int column = 0; column < side; column++) {
            double wanted = 0;
            for (int k = 0; k < side; k++) wanted += a[row * side + k] * b[k * side + column];
            wrong += c[row * side + column] != wanted;
        }
    }

    warp_sums<<<1, width>>>(da, out);
    sums = on_host(out, width / 32);
    double total = 0;
    for (int warp = 0; warp < width / 32; warp++) {
        float wanted = 0;
        for (int lane = 0; lane < 32; lane++) wanted += a[warp * 32 + lane];
        wrong += sums[warp] != wanted;
        total += wanted;
    }

    tree<<<1, width, width * sizeof(float)>>>(da, out, 10);
    wrong += on_host(out, 1)[0] != 10 * total + 45 * width;

    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(da);
    cudaFree(db);
    cudaFree(out);
    cudaFree(product);
    if (wrong || error != cudaSuccess) printf("%d wrong, error %d\n", wrong, error);
    return wrong != 0 || error != cudaSuccess;
}
