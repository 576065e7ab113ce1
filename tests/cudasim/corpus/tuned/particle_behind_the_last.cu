// expect: out-of-bounds
// Each particle looks at its successor, and the last one has none: a member of no element.
#include <vector>

struct Particle {
    float position[3];
    float mass;
};

__global__ void springs(const Particle* particles, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float dx = particles[i + 1].position[0] - particles[i].position[0];  // <- out-of-bounds
    out[i] = dx * particles[i].mass;
}

int main() {
    const int n = 77;
    std::vector<Particle> particles(n);
    std::vector<float> out(n);
    for (int i = 0; i < n; ++i) particles[i] = {{i * 1.0f, 0.0f, 0.0f}, 2.0f};
    Particle* d_particles;
    float* d_out;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_particles, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
    springs<<<3, 32>>>(d_particles, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_particles);
    cudaFree(d_out);
    return 0;
}
