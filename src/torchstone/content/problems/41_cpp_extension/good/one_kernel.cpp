// One kernel for every device: it makes the result, and where there are no data it stops there.
// Inner loops come from a table of functions, one for each dtype.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Exception.h>
#include <torch/headeronly/util/Half.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// A row: n elements that lie `read` apart here and `write` apart there.
using Row = void (*)(void* to, int64_t write, const void* from, int64_t read, int64_t n, double c);

template <typename T, typename Compute>
void add_row(void* to, int64_t write, const void* from, int64_t read, int64_t n, double c) {
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    Compute constant;
    if constexpr (std::numeric_limits<Compute>::is_integer) {
        constant = static_cast<Compute>(static_cast<int64_t>(c));
    } else {
        constant = static_cast<Compute>(c);
    }
    for (; n > 0; --n, source += read, target += write) {
        *target = static_cast<T>(static_cast<Compute>(*source) + constant);
    }
}

struct Entry {
    ScalarType dtype;
    bool is_integer;
    Row row;
};

constexpr std::array<Entry, 6> table{{
    {ScalarType::Float, false, add_row<float, float>},
    {ScalarType::Double, false, add_row<double, double>},
    {ScalarType::Half, false, add_row<torch::headeronly::Half, float>},
    {ScalarType::BFloat16, false, add_row<torch::headeronly::BFloat16, float>},
    {ScalarType::Int, true, add_row<int32_t, uint32_t>},
    {ScalarType::Long, true, add_row<int64_t, uint64_t>},
}};

const Entry& find_entry(ScalarType dtype) {
    for (const Entry& entry : table) {
        if (entry.dtype == dtype) {
            return entry;
        }
    }
    STD_TORCH_CHECK(false, "add_constant: dtype ", torch::headeronly::toString(dtype));
    return table[0];
}

// Goes through all dimensions but the last, which is a row.
void add_block(const Row row, const Tensor& out, const Tensor& x, double c, int64_t dim, char* to,
               const char* from) {
    const int64_t width = static_cast<int64_t>(x.element_size());
    if (x.dim() == 0) {
        return row(to, 0, from, 0, 1, c);
    }
    if (dim == x.dim() - 1) {
        return row(to, out.stride(dim), from, x.stride(dim), x.size(dim), c);
    }
    for (int64_t i = 0; i < x.size(dim); ++i) {
        add_block(row, out, x, c, dim + 1, to + i * out.stride(dim) * width,
                  from + i * x.stride(dim) * width);
    }
}

Tensor add_constant(Tensor x, double c) {
    const Entry& entry = find_entry(x.scalar_type());
    STD_TORCH_CHECK(!entry.is_integer || (std::abs(c) < 9.2e18 && std::round(c) == c),
                    "add_constant: ", c, " added to integers");
    Tensor out = torch::stable::empty_like(x);
    if (x.is_cpu()) {
        add_block(entry.row, out, x, c, 0, static_cast<char*>(out.mutable_data_ptr()),
                  static_cast<const char*>(x.const_data_ptr()));
    }
    return out;
}

Tensor add_constant_backward(Tensor grad) { return torch::stable::clone(grad); }

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(ts41, m) { m.def("add_constant(Tensor x, float c) -> Tensor"); }

STABLE_TORCH_LIBRARY_FRAGMENT(ts41, m) { m.def("add_constant_backward(Tensor grad) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(ts41, CompositeExplicitAutograd, m) {
    m.impl("add_constant", TORCH_BOX(&add_constant));
    m.impl("add_constant_backward", TORCH_BOX(&add_constant_backward));
}
