// expect: nothing
// Inclusive Hillis-Steele scan in two halves of dynamic shared memory, one block per row of odd length.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scan(float *g_odata, const float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    g_idata += blockIdx.x * n;
    g_odata += blockIdx.x * n;
    temp[pout * n + thid] = g_idata[thid];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2)
    {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    g_odata[thid] = temp[pout * n + thid];
}

int main()
{
    const int rows = 4, n = 117;
    std::vector<float> in(rows * n), out(rows * n, -1.0f);
    for (int i = 0; i < rows * n; ++i) in[i] = (float)(rand() % 10);
    float *d_in = NULL, *d_out = NULL;
    size_t bytes = in.size() * sizeof(float);
    if (cudaMalloc((void **)&d_in, bytes) != cudaSuccess || cudaMalloc((void **)&d_out, bytes) != cudaSuccess)
        return 2;
    cudaMemcpy(d_in, &in[0], bytes, cudaMemcpyHostToDevice);
    scan<<<rows, n, 2 * n * sizeof(float)>>>(d_out, d_in, n);
    cudaMemcpy(&out[0], d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int r = 0; r < rows; ++r)
    {
        float sum = 0;
        for (int i = 0; i < n; ++i)
        {
            sum += in[r * n + i];
            if (out[r * n + i] != sum)
            {
                printf("row %d column %d: %g, not %g\n", r, i, out[r * n + i], sum);
                return 1;
            }
        }
    }
    return 0;
}
