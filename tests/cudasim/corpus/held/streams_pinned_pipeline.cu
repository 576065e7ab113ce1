// expect: nothing
// Chunks travel through three streams by async copies from pinned memory; an event joins them for a final sum, another times it.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CUDA_OK(x)                                                                                    \
    if (cudaError_t e_ = (x); e_ != cudaSuccess) {                                                    \
        std::fprintf(stderr, "%s failed at line %d: %s\n", #x, __LINE__, cudaGetErrorString(e_));     \
        std::exit(2);                                                                                 \
    }

__global__ void transform(float* data, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = sqrtf(data[i]) * a;
}

__global__ void dot_self(const float* x, int n, double* result) {
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += double(x[i]) * x[i];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (threadIdx.x % 32 == 0) atomicAdd(result, s);
}

int main() {
    constexpr int kStreams = 3, kChunk = 500, n = 4321;
    float *h, *d;
    double *result, *h_result;
    CUDA_OK(cudaHostAlloc(&h, n * sizeof(float), cudaHostAllocDefault));
    CUDA_OK(cudaMallocHost((void**)&h_result, sizeof(double)));
    CUDA_OK(cudaMalloc(&d, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&result, sizeof(double)));
    for (int i = 0; i < n; ++i) h[i] = i % 100;
    cudaStream_t streams[kStreams];
    cudaEvent_t done[kStreams], start, stop;
    for (int s = 0; s < kStreams; ++s) {
        CUDA_OK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CUDA_OK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    }
    CUDA_OK(cudaEventCreate(&start));
    CUDA_OK(cudaEventCreate(&stop));
    CUDA_OK(cudaEventRecord(start, streams[0]));
    CUDA_OK(cudaMemsetAsync(result, 0, sizeof(double), streams[0]));
    for (int at = 0, c = 0; at < n; at += kChunk, ++c) {
        cudaStream_t st = streams[c % kStreams];
        int len = n - at < kChunk ? n - at : kChunk;
        CUDA_OK(cudaMemcpyAsync(d + at, h + at, len * sizeof(float), cudaMemcpyHostToDevice, st));
        transform<<<(len + 127) / 128, 128, 0, st>>>(d + at, len, 2.f);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaMemcpyAsync(h + at, d + at, len * sizeof(float), cudaMemcpyDeviceToHost, st));
    }
    for (int s = 1; s < kStreams; ++s) {
        CUDA_OK(cudaEventRecord(done[s], streams[s]));
        CUDA_OK(cudaStreamWaitEvent(streams[0], done[s], 0));
    }
    dot_self<<<4, 64, 0, streams[0]>>>(d, n, result);
    CUDA_OK(cudaMemcpyAsync(h_result, result, sizeof(double), cudaMemcpyDeviceToHost, streams[0]));
    CUDA_OK(cudaEventRecord(stop, streams[0]));
    CUDA_OK(cudaEventSynchronize(stop));
    for (auto s : streams) CUDA_OK(cudaStreamSynchronize(s));
    float ms = -1;
    CUDA_OK(cudaEventElapsedTime(&ms, start, stop));
    int bad = ms < 0;
    double want = 0;
    for (int i = 0; i < n; ++i) {
        bad += std::fabs(h[i] - 2 * std::sqrt(float(i % 100))) > 1e-4;
        want += 4.0 * (i % 100);
    }
    bad += std::fabs(want - *h_result) > 1e-1;
    for (int s = 0; s < kStreams; ++s) {
        CUDA_OK(cudaStreamDestroy(streams[s]));
        CUDA_OK(cudaEventDestroy(done[s]));
    }
    CUDA_OK(cudaEventDestroy(start));
    CUDA_OK(cudaEventDestroy(stop));
    CUDA_OK(cudaFreeHost(h));
    CUDA_OK(cudaFreeHost(h_result));
    CUDA_OK(cudaFree(d));
    CUDA_OK(cudaFree(result));
    if (bad) std::printf("%d wrong, %f\n", bad, want);
    return bad != 0;
}
