// Runs each kernel of the plain set on numbers that are the same everywhere, and writes what comes
// of it to the standard output, as float64.
#include <cmath>
#include <cstdio>
#include <vector>

#include "kernels.h"

namespace torchstone {
extern const Kernels plain_kernels;
}

namespace {

using namespace torchstone;

const Kernels& all = plain_kernels;
constexpr int64_t rows = 7, width = 53, count = rows * width;

// Numbers of a type: what was widened from them is what was put in.
class Numbers {
public:
    Numbers(Type type, int64_t count, double scale = 1)
        : type_(type), count_(count), bytes_(8 * count) {
        static uint32_t state = 1;
        std::vector<double> doubles(count);
        for (double& each : doubles) {
            state = state * 1664525u + 1013904223u;
            each = scale * (state / 4294967296.0 * 2 - 1);
        }
        if (type == Type::float64) {
            all.narrow(type, doubles.data(), bytes_.data(), count);
        } else {
            const std::vector<float> floats(doubles.begin(), doubles.end());
            all.narrow(type, floats.data(), bytes_.data(), count);
        }
    }

    void* data() { return bytes_.data(); }

    void print() {
        std::vector<double> doubles(count_);
        if (type_ == Type::float64) {
            all.widen(type_, bytes_.data(), doubles.data(), count_);
        } else {
            std::vector<float> floats(count_);
            all.widen(type_, bytes_.data(), floats.data(), count_);
            doubles.assign(floats.begin(), floats.end());
        }
        std::fwrite(doubles.data(), sizeof(double), doubles.size(), stdout);
    }

private:
    Type type_;
    int64_t count_;
    std::vector<unsigned char> bytes_;
};

void run_norms(Type type, Type wide) {
    Numbers x(type, count, 3), out(type, count), w(wide, width), b(wide, width);
    Numbers mean(wide, rows), rstd(wide, rows), grad(type, count), of_x(type, count);
    Numbers of_w(wide, width, 0), of_b(wide, width, 0);
    Norm norm{};
    norm.type = type, norm.has_mean = true, norm.input = x.data(), norm.weight = w.data();
    norm.bias = b.data(), norm.out = out.data(), norm.mean = mean.data();
    norm.rstd = rstd.data(), norm.width = width, norm.eps = 1e-5;
    all.norm(norm, 0, rows);
    NormBackward back{};
    back.type = type, back.has_mean = true, back.grad = grad.data(), back.input = x.data();
    back.weight = w.data(), back.mean = mean.data(), back.rstd = rstd.data();
    back.grad_input = of_x.data(), back.width = width;
    all.norm_backward(back, 0, rows, of_w.data(), of_b.data());
    for (Numbers* each : {&out, &mean, &rstd, &of_x, &of_w, &of_b}) {
        each->print();
    }
}

void run_pointwise(Type type, Type wide) {
    Numbers x(type, count, 9), y(type, count), b(wide, width), out(type, count), other(type, count);
    Numbers memory(wide, width);
    all.softmax({type, x.data(), out.data(), width, false}, 0, rows, memory.data());
    out.print();
    all.softmax_backward({type, y.data(), out.data(), other.data(), width, false}, 0, rows);
    other.print();
    all.bias_gelu({type, nullptr, x.data(), b.data(), out.data(), width}, 0, rows);
    out.print();
    all.swiglu_backward({type, y.data(), x.data(), y.data(), out.data(), other.data()}, 0, count);
    out.print();
    other.print();
    Numbers cosines(wide, rows * 13), sines(wide, rows * 13);
    Rotary rotary{type, x.data(), cosines.data(), sines.data(), out.data(), 26, rows, true, false};
    all.rotary(rotary, 0, rows);
    out.print();
    Numbers param(type, count), grad(type, count), mean(wide, count), square(wide, count, 0);
    all.adamw({type, param.data(), grad.data(), mean.data(), square.data(), 1e-2, 0.9, 0.99, 1e-8,
               0.1, 0.1, 0.01},
              0, count);
    param.print();
}

void run_attention(Type type, Type wide) {
    const int64_t heads = 2, queries = 60, keys = 230, head_dim = 21;
    const auto of = [&](Numbers& numbers, int64_t places) {
        return Heads{numbers.data(), heads * places * head_dim, places * head_dim, head_dim};
    };
    const int64_t size_q = heads * queries * head_dim, size_k = heads * keys * head_dim;
    Numbers q(type, size_q), k(type, size_k), v(type, size_k), out(type, size_q), g(type, size_q);
    Numbers lse(wide, heads * queries), of_q(type, size_q), of_k(type, size_k), of_v(type, size_k);
    Attention it{};
    it.type = type, it.query = of(q, queries), it.key = of(k, keys), it.value = of(v, keys);
    it.out = of(out, queries), it.lse = lse.data(), it.batch = it.num_sequences = 1;
    it.num_heads = it.num_key_heads = heads, it.num_queries = it.longest_q = queries;
    it.num_keys = it.longest_k = keys, it.head_dim = head_dim, it.left = -1, it.right = 0;
    it.scale = 1 / std::sqrt(21.0), it.drops = true, it.dropout = 0.2, it.seed = 5;
    const AttentionBackward back{it, of(g, queries), of(of_q, queries), of(of_k, keys),
                                 of(of_v, keys)};
    for (const bool backward : {false, true}) {
        std::vector<double> memory(all.attention_bytes(it, backward) / 8 + 8);
        auto address = reinterpret_cast<uintptr_t>(memory.data());
        auto* const aligned = reinterpret_cast<void*>((address + 63) / 64 * 64);
        const int64_t tasks = all.attention_tasks(it, backward);
        if (backward) {
            all.attention_backward(back, 0, tasks, aligned);
        } else {
            all.attention(it, 0, tasks, aligned);
        }
    }
    for (Numbers* each : {&out, &lse, &of_q, &of_k, &of_v}) {
        each->print();
    }
}

}  // namespace

int main() {
    for (const Type type : {Type::float32, Type::bfloat16, Type::float16, Type::float64}) {
        const Type wide = type == Type::float64 ? Type::float64 : Type::float32;
        run_norms(type, wide);
        run_pointwise(type, wide);
        run_attention(type, wide);
    }
}
