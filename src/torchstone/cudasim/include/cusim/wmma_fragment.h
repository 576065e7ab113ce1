// Fragments of wmma: valid shapes and types, and the mapping of elements to lanes.
#pragma once

#include <type_traits>

#include "cusim/groups.h"

struct __half;
struct __nv_bfloat16;

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
}  // namespace experimental

namespace cusim_wmma {

// Whether a fragment of a use, shape and type exists.
template <class Use, int m, int n, int k, class T>
constexpr bool exists() {
    constexpr bool k16 = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) ||
                                     (m == 8 && n == 32));
    constexpr bool tf32 = m == 16 && n == 16 && k == 8;
    constexpr bool fp64 = m == 8 && n == 8 && k == 4;
    if (std::is_same<Use, accumulator>::value) {
        return (k16 && (std::is_same<T, __half>::value || std::is_same<T, float>::value ||
                        std::is_same<T, int>::value)) ||
               (tf32 && std::is_same<T, float>::value) || (fp64 && std::is_same<T, double>::value);
    }
    return (k16 && (std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value ||
                    std::is_same<T, signed char>::value ||
                    std::is_same<T, unsigned char>::value)) ||
           (tf32 && std::is_same<T, precision::tf32>::value) ||
           (fp64 && std::is_same<T, double>::value);
}

template <class T>
struct storage {
    using type = T;
};
template <>
struct storage<precision::tf32> {
    using type = float;
};

template <class T>
constexpr bool is_sub_byte = std::is_same<T, experimental::precision::u4>::value ||
                             std::is_same<T, experimental::precision::s4>::value ||
                             std::is_same<T, experimental::precision::b1>::value;

// Of a factor, a lane holds some elements that are adjacent in memory, to load them with few
// accesses. A __half fragment has 16 elements in every shape; if that exceeds a lane's share,
// elements are replicated.
template <class Use, int m, int n, int k, class Layout>
struct Operand {
    static constexpr bool is_a = std::is_same<Use, matrix_a>::value;
    static constexpr bool is_row_major = std::is_same<Layout, row_major>::value;
    static constexpr int num_rows = is_a ? m : k, num_columns = is_a ? k : n;
    static constexpr int line = is_row_major ? num_columns : num_rows;
    static constexpr int share = num_rows * num_columns / 32;

    static constexpr int line_of(int lane) { return lane * share / line; }
    static constexpr int place_of(int lane) { return lane * share % line; }
    static constexpr int row_of(int lane, int i) {
        return is_row_major ? line_of(lane) : place_of(lane) + i;
    }
    static constexpr int column_of(int lane, int i) {
        return is_row_major ? place_of(lane) + i : line_of(lane);
    }
};

// Of an accumulator, a lane holds two adjacent elements of a row in each square of 8 by 8.
template <int m, int n>
struct Squares {
    static constexpr int share = m * n / 32;
    static constexpr int row_of(int lane, int i) { return i / 2 % (m / 8) * 8 + lane / 4; }
    static constexpr int column_of(int lane, int i) {
        return i / 2 / (m / 8) * 8 + lane % 4 * 2 + i % 2;
    }
};

}  // namespace cusim_wmma

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
    static_assert(!cusim_wmma::is_sub_byte<T>,
                  "wmma fragments of 4-bit and 1-bit elements are not supported by cudasim: use "
                  "signed char or unsigned char");
    static_assert(cusim_wmma::is_sub_byte<T> || cusim_wmma::exists<Use, m, n, k, T>(),
                  "there is no wmma fragment of this shape and type: m16n16k16, m32n8k16 and "
                  "m8n32k16 take __half, __nv_bfloat16, signed char and unsigned char, m16n16k8 "
                  "takes precision::tf32, m8n8k4 takes double");
    static_assert(std::is_same<Layout, row_major>::value || std::is_same<Layout, col_major>::value,
                  "a fragment of matrix_a or matrix_b is row_major or col_major");

   public:
    using element_type = T;
    using storage_element_type = typename cusim_wmma::storage<T>::type;
    using cusim_place = cusim_wmma::Operand<Use, m, n, k, Layout>;
    enum {
        num_elements = std::is_same<T, __half>::value ? 16 : cusim_place::share,
        num_storage_elements = num_elements,
    };
    storage_element_type x[num_elements];
};

template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T, void> {
    static_assert(cusim_wmma::exists<accumulator, m, n, k, T>(),
                  "there is no wmma accumulator of this shape and type: m16n16k16, m32n8k16 and "
                  "m8n32k16 have __half, float and int, m16n16k8 has float, m8n8k4 has double");

   public:
    using element_type = T;
    using storage_element_type = T;
    using cusim_place = cusim_wmma::Squares<m, n>;
    enum {
        num_elements = cusim_place::share,
        num_storage_elements = num_elements,
    };
    T x[num_elements];
};

}  // namespace wmma
}  // namespace nvcuda
