// expect: race
// Text histogram in global memory, with ++ where an atomicAdd is needed.
#include <stdio.h>
#include <string.h>

#define CHAR_DIV 4
#define NUM_BINS 7

__global__ void histo_kernel(const char *data, unsigned int length, unsigned int *histo) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        int alphabet_position = data[i] - 'a';
        if (alphabet_position >= 0 && alphabet_position < 26) {
            histo[alphabet_position / CHAR_DIV]++;  // <- race
        }
    }
}

int main() {
    const char *text = "programming massively parallel processors takes a while, and some patience with the debugger as well";
    unsigned int length = (unsigned int)strlen(text), histo[NUM_BINS];
    char *d_data;
    unsigned int *d_histo;
    cudaMalloc((void **)&d_data, length);
    cudaMalloc((void **)&d_histo, sizeof(histo));
    cudaMemcpy(d_data, text, length, cudaMemcpyHostToDevice);
    cudaMemset(d_histo, 0, sizeof(histo));
    histo_kernel<<<(length + 47) / 48, 48>>>(d_data, length, d_histo);
    cudaMemcpy(histo, d_histo, sizeof(histo), cudaMemcpyDeviceToHost);
    for (int b = 0; b < NUM_BINS; ++b) printf("%u ", histo[b]);
    printf("\n");
    cudaFree(d_data);
    cudaFree(d_histo);
    return 0;
}
