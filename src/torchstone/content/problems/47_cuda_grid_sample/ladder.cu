// What the versions of the editorial's ladder are counted with: an image of 16 x 16 pixels with 8
// channels, enlarged to 32 x 64 samples. It is put behind a version, and does the forward, the
// backward, or the backward with all samples on one spot:
//     cat contract.h good/warp_per_sample.cu ladder.cu > version.cu
//     torchstone cuda check version.cu --json -- forward | backward | spot
#include <cstring>
#include <vector>

static float* on_device(const std::vector<float>& values) {
    float* copy;
    cudaMalloc(&copy, values.size() * sizeof(float));
    cudaMemcpy(copy, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return copy;
}

int main(int num_words, char** words) {
    constexpr int N = 1, C = 8, H = 16, W = 16, Ho = 32, Wo = 64, padding_mode = 0, align = 1;
    const char* what = num_words > 1 ? words[1] : "forward";
    unsigned seed = 12345;
    const auto random = [&] {
        seed = seed * 1664525u + 1013904223u;
        return (seed >> 8) / 8388608.0f - 1.0f;
    };
    std::vector<float> pixels(N * C * H * W), samples(N * C * Ho * Wo), places;
    for (float& value : pixels) value = random();
    for (float& value : samples) value = random();
    for (int i = 0; i < N * Ho * Wo; i++) {
        const bool is_spot = std::strcmp(what, "spot") == 0;
        places.push_back(is_spot ? 0.1f : -0.85f + 1.7f * (i % Wo) / (Wo - 1));
        places.push_back(is_spot ? 0.2f : -0.85f + 1.7f * (i / Wo % Ho) / (Ho - 1));
    }
    float* const input = on_device(pixels);
    float* const grid = on_device(places);
    float* const grad_out = on_device(samples);
    float* const out = on_device(std::vector<float>(samples.size()));
    float* const grad_input = on_device(std::vector<float>(pixels.size()));
    float* const grad_grid = on_device(std::vector<float>(places.size()));
    const cudaError_t error =
        std::strcmp(what, "forward") == 0
            ? grid_sample_forward(input, grid, out, N, C, H, W, Ho, Wo, padding_mode, align, 0)
            : grid_sample_backward(grad_out, input, grid, grad_input, grad_grid, N, C, H, W, Ho, Wo,
                                   padding_mode, align, 0);
    for (float* array : {input, grid, grad_out, out, grad_input, grad_grid}) {
        cudaFree(array);
    }
    return error;
}
