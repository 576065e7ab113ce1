// expect: race
// Dynamic shared memory carved into doubles and ints: the ints begin after n bytes-worth of floats, inside the doubles.
#include <cstdio>
#include <vector>

__global__ void argmax_rows(const double* x, int* arg, double* value, int cols) {
    extern __shared__ __align__(8) unsigned char arena[];
    double* best = reinterpret_cast<double*>(arena);
    int* where = reinterpret_cast<int*>(arena + blockDim.x * sizeof(float));
    int t = threadIdx.x;
    double b = -1e300;
    int w = -1;
    for (int c = t; c < cols; c += blockDim.x) {
        double v = x[blockIdx.x * cols + c];
        if (v > b) b = v, w = c;
    }
    best[t] = b;  // <- race
    where[t] = w;  // <- race
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k && best[t + k] > best[t]) {  // <- race
            best[t] = best[t + k];  // <- race
            where[t] = where[t + k];  // <- race
        }
        __syncthreads();
    }
    if (t == 0) {
        arg[blockIdx.x] = where[0];
        value[blockIdx.x] = best[0];
    }
}

int main() {
    const int rows = 5, cols = 117, threads = 64;
    std::vector<double> x(rows * cols);
    for (int i = 0; i < rows * cols; ++i) x[i] = i * 71 % 503;
    double *dx, *dv;
    int* da;
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dv, rows * sizeof(double));
    cudaMalloc(&da, rows * sizeof(int));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
    argmax_rows<<<rows, threads, threads * (sizeof(double) + sizeof(int))>>>(dx, da, dv, cols);
    int arg[rows];
    cudaMemcpy(arg, da, sizeof arg, cudaMemcpyDeviceToHost);
    printf("%d\n", arg[0]);
    cudaFree(dx);
    cudaFree(dv);
    cudaFree(da);
    return 0;
}
