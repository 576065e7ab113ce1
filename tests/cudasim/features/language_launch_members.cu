// feature: a kernel kept in a variable, an array or a data member, launched by its bare name
// area: language
#include <cstdio>
#include <map>
#include <string>

__global__ void one(int* out) { *out = 1; }
__global__ void two(int* out) { *out = 2; }
template <class T>
__global__ void three(T* out) {
    *out = 3;
}

void (*anywhere)(int*) = two;
struct Base {
    void (*inherited)(int*) = three<int>;
};
template <class K>
struct Runner : Base {
    K kernel;
    K table[2];
    int* out;
    explicit Runner(K k, int* place) : kernel(k), table{one, two}, out(place) {}
    int result() const {
        int value = 0;
        cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }
    int run() const {
        kernel<<<1, 1>>>(out);
        return result();
    }
    int run(int number) const {
        table[number]<<<1, 1>>>(out);
        return result();
    }
    int run_inherited() {
        inherited<<<1, 1>>>(out);
        return result();
    }
    int run_in_lambda() {
        const auto launch = [this] { kernel<<<1, 1>>>(out); };
        launch();
        return result();
    }
};

int main() {
    int* out;
    cudaMalloc(&out, sizeof(int));
    Runner<void (*)(int*)> runner(one, out);
    bool ok = runner.run() == 1 && runner.run(0) == 1 && runner.run(1) == 2;
    ok = ok && runner.run_inherited() == 3 && runner.run_in_lambda() == 1;
    anywhere<<<1, 1>>>(out);
    ok = ok && runner.result() == 2;
    runner.inherited<<<1, 1>>>(out);
    ok = ok && runner.result() == 3;
    const std::map<std::string, void (*)(int*)> named{{"one", one}, {"two", two}};
    named.at("two")<<<1, 1>>>(out);
    ok = ok && runner.result() == 2;
    cudaFree(out);
    std::printf(ok ? "" : "a wrong kernel ran\n");
    return !ok;
}
