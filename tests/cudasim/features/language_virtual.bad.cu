// expect: compile abstract
struct Shape {
    __device__ virtual float area() const = 0;
};

__global__ void measure(float* out) {
    Shape shape;
    out[threadIdx.x] = shape.area();
}

int main() { return 0; }
