// expect: nothing
// Softmax in three versions of a training course: one thread, one warp, and one block per row.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(err) cuda_check((err), __FILE__, __LINE__)

inline void cuda_check(cudaError_t error, const char* file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}

__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float* inp_row = inp + i * C;
        float* out_row = out + i * C;
        float maxval = -INFINITY;
        for (int j = 0; j < C; j++) {
            if (inp_row[j] > maxval) maxval = inp_row[j];
        }
        double sum = 0.0;
        for (int j = 0; j < C; j++) {
            out_row[j] = expf(inp_row[j] - maxval);
            sum += out_row[j];
        }
        for (int j = 0; j < C; j++) out_row[j] /= (float)sum;
    }
}

__device__ float warpReduceMax(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val = fmaxf(val, __shfl_down_sync(0xFFFFFFFF, val, offset));
    }
    return val;
}

__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) val += __shfl_down_sync(0xFFFFFFFF, val, offset);
    return val;
}

__global__ void softmax_forward_kernel2(float* out, const float* inp, int N, int C) {
    int idx = blockIdx.x, lane = threadIdx.x;
    const float* x = inp + idx * C;
    float maxval = -INFINITY;
    for (int i = lane; i < C; i += 32) maxval = fmaxf(maxval, x[i]);
    maxval = warpReduceMax(maxval);
    float offset = __shfl_sync(0xFFFFFFFF, maxval, 0);
    for (int i = lane; i < C; i += 32) out[idx * C + i] = expf(x[i] - offset);
    float sumval = 0.0f;
    for (int i = lane; i < C; i += 32) sumval += out[idx * C + i];
    sumval = __shfl_sync(0xFFFFFFFF, warpReduceSum(sumval), 0);
    for (int i = lane; i < C; i += 32) out[idx * C + i] = out[idx * C + i] / sumval;
}

__global__ void softmax_forward_kernel3(float* out, const float* inp, int N, int C) {
    extern __shared__ float shared[];  // one cell per warp for the maxima, one for the sums
    int idx = blockIdx.x, tid = threadIdx.x;
    int warpId = threadIdx.x / 32, laneId = threadIdx.x % 32;
    int warpsPerBlock = blockDim.x / 32;
    float* maxvals = shared;
    float* sumvals = &shared[warpsPerBlock];
    const float* x = inp + idx * C;
    float maxval = -INFINITY;
    for (int i = tid; i < C; i += blockDim.x) maxval = fmaxf(maxval, x[i]);
    maxval = warpReduceMax(maxval);
    if (laneId == 0) maxvals[warpId] = maxval;
    __syncthreads();
    if (tid == 0) {
        float val = maxvals[tid];
        for (int i = 1; i < warpsPerBlock; i++) val = fmaxf(val, maxvals[i]);
        maxvals[0] = val;
    }
    __syncthreads();
    float offset = maxvals[0];
    for (int i = tid; i < C; i += blockDim.x) out[idx * C + i] = expf(x[i] - offset);
    float sumval = 0.0f;
    for (int i = tid; i < C; i += blockDim.x) sumval += out[idx * C + i];
    sumval = warpReduceSum(sumval);
    if (laneId == 0) sumvals[warpId] = sumval;
    __syncthreads();
    if (tid == 0) {
        float val = sumvals[tid];
        for (int i = 1; i < warpsPerBlock; ++i) val += sumvals[i];
        sumvals[0] = val;
    }
    __syncthreads();
    float sum = sumvals[0];
    for (int i = tid; i < C; i += blockDim.x) out[idx * C + i] = out[idx * C + i] / sum;
}

int main(int argc, char** argv) {
    int N = 19, C = 157;
    float* inp = (float*)malloc(N * C * sizeof(float));
    float* ref = (float*)malloc(N * C * sizeof(float));
    float* got = (float*)malloc(N * C * sizeof(float));
    srand(0);
    for (int i = 0; i < N * C; i++) inp[i] = (float)rand() / RAND_MAX * 8.0f - 4.0f;
    for (int i = 0; i < N; i++) {
        float m = -FLT_MAX;
        double s = 0;
        for (int j = 0; j < C; j++) m = fmaxf(m, inp[i * C + j]);
        for (int j = 0; j < C; j++) s += exp(inp[i * C + j] - m);
        for (int j = 0; j < C; j++) ref[i * C + j] = exp(inp[i * C + j] - m) / s;
    }
    float *d_out, *d_inp;
    cudaCheck(cudaMalloc(&d_out, N * C * sizeof(float)));
    cudaCheck(cudaMalloc(&d_inp, N * C * sizeof(float)));
    cudaCheck(cudaMemcpy(d_inp, inp, N * C * sizeof(float), cudaMemcpyHostToDevice));
    int bad = 0;
    for (int kernel_num = 1; kernel_num <= 3; kernel_num++) {
        cudaCheck(cudaMemset(d_out, 0, N * C * sizeof(float)));
        switch (kernel_num) {
            case 1: softmax_forward_kernel1<<<CEIL_DIV(N, 8), 8>>>(d_out, d_inp, N, C); break;
            case 2: softmax_forward_kernel2<<<N, 32>>>(d_out, d_inp, N, C); break;
            case 3: {
                int block_size = 96;
                size_t shared_mem_size = 2 * block_size / 32 * sizeof(float);
                softmax_forward_kernel3<<<N, block_size, shared_mem_size>>>(d_out, d_inp, N, C);
            } break;
            default: printf("Invalid kernel number\n"); exit(1);
        }
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(got, d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N * C; i++) {
            if (fabsf(got[i] - ref[i]) > 1e-5f && bad++ < 5) {
                printf("kernel %d: mismatch at %d: %f vs %f\n", kernel_num, i, got[i], ref[i]);
            }
        }
    }
    cudaCheck(cudaFree(d_out));
    cudaCheck(cudaFree(d_inp));
    free(inp);
    free(ref);
    free(got);
    return bad ? 1 : 0;
}
