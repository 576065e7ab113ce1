// feature: __constant__ variables, set before a launch or by an initialiser
// area: language
#include <cstdio>

struct Camera {
    float position[3];
    int width;
};

__constant__ float weights[3][3];
__constant__ float fixed[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__constant__ Camera camera;
namespace deep {
__constant__ int offset = 7;
}

__global__ void use(float* out) {
    const int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 9; k++) {
        sum += weights[k / 3][k % 3];
    }
    out[i] = sum + fixed[i % 4] + camera.position[i % 3] + camera.width + deep::offset;
}

int main() {
    float host_weights[3][3];
    for (int k = 0; k < 9; k++) {
        host_weights[k / 3][k % 3] = static_cast<float>(k);
    }
    const Camera host_camera = {{10, 20, 30}, 640};
    cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights);
    cudaMemcpyToSymbol(camera, &host_camera, sizeof host_camera);
    const int five = 5;
    cudaMemcpyToSymbol(deep::offset, &five, sizeof five);
    float *out, host[32];
    cudaMalloc(&out, sizeof host);
    use<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int i = 0; i < 32; i++) {
        const float want = 36.0f + (1 << i % 4) + 10.0f * (i % 3 + 1) + 640 + 5;
        if (host[i] != want) {
            std::printf("out[%d] is %g and not %g\n", i, host[i], want);
            return 1;
        }
    }
    return cudaGetLastError() != cudaSuccess;
}
