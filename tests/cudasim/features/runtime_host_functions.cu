// feature: cudaLaunchHostFunc and cudaStreamAddCallback
// area: runtime
#include <cstdio>

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

struct Job {
    const int* values;
    int sum, calls;
};

void CUDART_CB add(void* raw) {
    Job* const job = static_cast<Job*>(raw);
    for (int i = 0; i < 32; i++) {
        job->sum += job->values[i];
    }
}
void CUDART_CB count(cudaStream_t, cudaError_t status, void* raw) {
    static_cast<Job*>(raw)->calls += status == cudaSuccess;
}

int main() {
    int *out, *host;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&out, 128);
    cudaMallocHost(&host, 128);
    Job job{host, 0, 0};
    fill<<<1, 32, 0, stream>>>(out);
    cudaMemcpyAsync(host, out, 128, cudaMemcpyDeviceToHost, stream);
    int wrong = cudaLaunchHostFunc(stream, add, &job) != cudaSuccess;
    wrong += cudaStreamAddCallback(stream, count, &job, 0) != cudaSuccess;
    wrong += cudaStreamSynchronize(stream) != cudaSuccess;
    wrong += job.sum != 496 || job.calls != 1;
    cudaStreamDestroy(stream);
    cudaFree(out);
    cudaFreeHost(host);
    if (wrong) {
        std::printf("the sum is %d after %d calls\n", job.sum, job.calls);
    }
    return wrong || cudaGetLastError() != cudaSuccess;
}
