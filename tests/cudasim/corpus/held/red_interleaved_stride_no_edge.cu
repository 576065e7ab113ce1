// expect: out-of-bounds
// Second rung, stride times index: the test on the index was written <= instead of <.
#include <stdio.h>
#include <stdlib.h>

__global__ void reduce1(const float *in, float *out, int n)
{
    __shared__ float cache[128];
    int t = threadIdx.x;
    int gid = t + blockIdx.x * blockDim.x;
    cache[t] = gid < n ? in[gid] : 0.f;
    __syncthreads();

    for (int s = 1; s < (int)blockDim.x; s <<= 1)
    {
        int index = 2 * s * t;
        if (index <= (int)blockDim.x)
        {
            cache[index] += cache[index + s];  // <- out-of-bounds
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = cache[0];
}

int main(void)
{
    const int n = 500, tpb = 128, nb = (n + tpb - 1) / tpb;
    float *h = (float *)malloc(n * sizeof(float));
    float res[4];
    for (int i = 0; i < n; ++i) h[i] = 0.25f * (i & 7);
    float *d_in, *d_out;
    cudaMalloc((void **)&d_in, n * sizeof(float));
    cudaMalloc((void **)&d_out, nb * sizeof(float));
    cudaMemcpy(d_in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    reduce1<<<nb, tpb>>>(d_in, d_out, n);
    cudaMemcpy(res, d_out, nb * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", res[0] + res[1] + res[2] + res[3]);
    cudaFree(d_in);
    cudaFree(d_out);
    free(h);
    return 0;
}
