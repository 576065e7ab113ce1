// expect: nothing
// Chunks of a running sum in streams with pinned memory, events between streams, mapped flag, a host function at the end.
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

struct Job {
    const int* data;
    int n;
    std::atomic<int> done{0};
};

static void CUDART_CB finish(void* p) {
    Job* job = static_cast<Job*>(p);
    job->done += job->data[job->n - 1];
}

__global__ void scan_chunk(int* x, int n, const int* carry_in, int* carry_out) {
    // one warp, a serial carry
    const unsigned lane = threadIdx.x;
    int carry = carry_in ? *carry_in : 0;
    for (int base = 0; base < n; base += 32) {
        const int i = base + lane;
        int v = i < n ? x[i] : 0;
        for (int d = 1; d < 32; d *= 2) {
            const int up = __shfl_up_sync(0xffffffff, v, d);
            v += lane >= d ? up : 0;
        }
        v += carry;
        if (i < n) x[i] = v;
        carry = __shfl_sync(0xffffffff, v, 31);
    }
    if (lane == 0) *carry_out = carry;
}

int main() {
    const int n = 1000, chunks = 4, per = 260;
    int *h, *d, *carries;
    cudaHostAlloc((void**)&h, n * sizeof(int), cudaHostAllocDefault);
    cudaMalloc((void**)&d, n * sizeof(int));
    cudaMalloc((void**)&carries, chunks * sizeof(int));
    for (int i = 0; i < n; ++i) h[i] = i % 6;
    std::vector<cudaStream_t> streams(chunks);
    std::vector<cudaEvent_t> ready(chunks);
    Job job{h, n};
    for (int c = 0; c < chunks; ++c) {
        cudaStreamCreate(&streams[c]);
        cudaEventCreateWithFlags(&ready[c], cudaEventDisableTiming);
        const int first = c * per, count = first + per <= n ? per : n - first;
        cudaMemcpyAsync(d + first, h + first, count * sizeof(int), cudaMemcpyHostToDevice, streams[c]);
        if (c) cudaStreamWaitEvent(streams[c], ready[c - 1], 0);
        scan_chunk<<<1, 32, 0, streams[c]>>>(d + first, count, c ? carries + c - 1 : nullptr, carries + c);
        cudaEventRecord(ready[c], streams[c]);
        cudaMemcpyAsync(h + first, d + first, count * sizeof(int), cudaMemcpyDeviceToHost, streams[c]);
    }
    cudaLaunchHostFunc(streams[chunks - 1], finish, &job);
    cudaDeviceSynchronize();
    int bad = cudaPeekAtLastError() != cudaSuccess || job.done != h[n - 1], sum = 0;
    for (int i = 0; i < n; ++i) bad |= h[i] != (sum += i % 6);
    for (auto s : streams) cudaStreamDestroy(s);
    for (auto e : ready) cudaEventDestroy(e);
    cudaFreeHost(h);
    cudaFree(d);
    cudaFree(carries);
    if (bad) puts(std::string("scan is wrong").c_str());
    return bad;
}
