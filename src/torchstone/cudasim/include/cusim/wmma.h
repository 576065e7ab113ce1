// Load, store, fill and multiply-accumulate of wmma fragments.
#pragma once

#include "cusim/wmma_fragment.h"

namespace nvcuda {
namespace wmma {
namespace cusim_wmma {

// Lanes must converge, but this does not order memory accesses.
inline void no_work(cusim::Collective* const*, unsigned) {}
CUSIM_INLINE void meet(int site) {
    cusim::Collective nothing{&no_work};
    cusim::groups::meet(cusim::groups::full_mask, nothing, site);
}

// Contiguous elements, by accesses of 16 bytes or of all elements.
template <int num_bytes>
CUSIM_INLINE void copy_together(void* to, const void* from) {
    using Word = std::conditional_t<
        num_bytes % 16 == 0, uint4,
        std::conditional_t<num_bytes == 8, uint2,
                           std::conditional_t<num_bytes == 4, unsigned, unsigned short>>>;
    for (unsigned i = 0; i < num_bytes / sizeof(Word); i++) {
        static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
    }
}

// The part of a float that the instruction reads as TF32: the upper 19 bits.
CUSIM_INLINE float upper_19_bits(float x) {
    unsigned bits = __float_as_uint(x);
    // g++ 12 may drop the mask for a value in a floating-point register.
    asm("" : "+r"(bits));
    return __uint_as_float(bits & 0xffffe000u);
}

// Accumulation of the products of two types, and conversion of the sum.
template <class T>
struct Sum {
    using type = float;
    static CUSIM_INLINE float operand(T x) { return static_cast<float>(x); }
};
template <>
struct Sum<precision::tf32> {
    using type = float;
    static CUSIM_INLINE float operand(float x) { return upper_19_bits(x); }
};
template <>
struct Sum<double> {
    using type = double;
    static CUSIM_INLINE double operand(double x) { return x; }
};
template <>
struct Sum<signed char> {
    using type = long long;
    static CUSIM_INLINE int operand(signed char x) { return x; }
};
template <>
struct Sum<unsigned char> {
    using type = long long;
    static CUSIM_INLINE int operand(unsigned char x) { return x; }
};

template <class S, class D>
CUSIM_INLINE D result_of(S sum, bool saturate) {
    if constexpr (std::is_same<D, int>::value) {
        constexpr long long most = 0x7fffffff;
        const long long kept = sum > most ? most : sum < -most - 1 ? -most - 1 : sum;
        return static_cast<int>(static_cast<unsigned>(saturate ? kept : sum));
    } else {
        static_cast<void>(saturate);
        return static_cast<D>(sum);
    }
}

template <class D, class A, class B, class C>
struct Product : cusim::Collective {
    D* d;
    const A* a;
    const B* b;
    const C* c;
    bool saturate;
};

// One call for the whole warp: the fragments of all lanes are gathered, multiplied, and
// distributed.
template <int m, int n, int k, class D, class A, class B, class C>
CUSIM_PLAIN void multiply(cusim::Collective* const* lanes, unsigned present) {
    using Lane = Product<D, A, B, C>;
    using Rules = Sum<typename A::element_type>;
    using S = typename Rules::type;
    using Value = decltype(Rules::operand(std::declval<A&>().x[0]));
    Value a[m][k], b[k][n];
    S sum[m][n];
    for (int lane = 0; lane < 32; lane++) {
        const Lane* const own = static_cast<const Lane*>(lanes[lane]);
        for (int i = 0; own && i < A::cusim_place::share; i++) {
            a[A::cusim_place::row_of(lane, i)][A::cusim_place::column_of(lane, i)] =
                Rules::operand(own->a->x[i]);
        }
        for (int i = 0; own && i < B::cusim_place::share; i++) {
            b[B::cusim_place::row_of(lane, i)][B::cusim_place::column_of(lane, i)] =
                Rules::operand(own->b->x[i]);
        }
        for (int i = 0; own && i < C::cusim_place::share; i++) {
            sum[C::cusim_place::row_of(lane, i)][C::cusim_place::column_of(lane, i)] =
                static_cast<S>(own->c->x[i]);
        }
    }
    if (present == cusim::groups::full_mask) {
        for (int row = 0; row < m; row++) {
            for (int inner = 0; inner < k; inner++) {
                for (int column = 0; column < n; column++) {
                    sum[row][column] += static_cast<S>(a[row][inner]) * b[inner][column];
                }
            }
        }
    }
    for (unsigned left = present; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const Lane* const own = static_cast<const Lane*>(lanes[lane]);
        for (int i = 0; i < D::cusim_place::share; i++) {
            own->d->x[i] = result_of<S, typename D::element_type>(
                sum[D::cusim_place::row_of(lane, i)][D::cusim_place::column_of(lane, i)],
                own->saturate);
        }
        if (present != cusim::groups::full_mask) {
            // An incomplete warp has no product: the result is set to a conspicuous value.
            std::memset(static_cast<void*>(own->d->x), 0xff, sizeof own->d->x);
        }
    }
}

// Valid accumulator types for the types of factors.
template <class A, class B, class C, class D>
constexpr bool go_together() {
    if (!std::is_same<A, B>::value) {
        return false;
    }
    if (std::is_same<A, __half>::value) {
        return (std::is_same<C, __half>::value || std::is_same<C, float>::value) &&
               (std::is_same<D, __half>::value || std::is_same<D, float>::value);
    }
    using Wanted = std::conditional_t<
        std::is_same<A, double>::value, double,
        std::conditional_t<std::is_integral<A>::value, int, float>>;
    return std::is_same<C, Wanted>::value && std::is_same<D, Wanted>::value;
}

}  // namespace cusim_wmma

template <class Use, int m, int n, int k, class T, class Layout>
CUSIM_INLINE void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type& value) {
    for (auto& each : f.x) {
        each = value;
    }
}

template <class Use, int m, int n, int k, class T, class Layout>
CUSIM_INLINE void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from, unsigned ldm,
    int site = __builtin_LINE()) {
    using Fragment = fragment<Use, m, n, k, T, Layout>;
    using Place = typename Fragment::cusim_place;
    cusim_wmma::meet(site);
    const int lane = static_cast<int>(cusim::groups::lane());
    alignas(16) typename Fragment::storage_element_type own[Place::share];
    cusim_wmma::copy_together<static_cast<int>(sizeof own)>(
        own, from + static_cast<size_t>(Place::line_of(lane)) * ldm + Place::place_of(lane));
    for (int i = 0; i < Fragment::num_elements; i++) {
        f.x[i] = own[i % Place::share];
    }
}

template <int m, int n, int k, class T>
CUSIM_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from,
                                   unsigned ldm, layout_t layout, int site = __builtin_LINE()) {
    using Place = cusim_wmma::Squares<m, n>;
    cusim_wmma::meet(site);
    const int lane = static_cast<int>(cusim::groups::lane());
    for (int i = 0; i < Place::share; i += 2) {
        const size_t row = Place::row_of(lane, i), column = Place::column_of(lane, i);
        if (layout == mem_row_major) {
            alignas(16) T pair[2];
            cusim_wmma::copy_together<2 * sizeof(T)>(pair, from + row * ldm + column);
            f.x[i] = pair[0];
            f.x[i + 1] = pair[1];
        } else {
            f.x[i] = from[column * ldm + row];
            f.x[i + 1] = from[(column + 1) * ldm + row];
        }
    }
}

template <int m, int n, int k, class T>
CUSIM_INLINE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f,
                                    unsigned ldm, layout_t layout, int site = __builtin_LINE()) {
    using Place = cusim_wmma::Squares<m, n>;
    cusim_wmma::meet(site);
    const int lane = static_cast<int>(cusim::groups::lane());
    for (int i = 0; i < Place::share; i += 2) {
        const size_t row = Place::row_of(lane, i), column = Place::column_of(lane, i);
        if (layout == mem_row_major) {
            alignas(16) const T pair[2] = {f.x[i], f.x[i + 1]};
            cusim_wmma::copy_together<2 * sizeof(T)>(to + row * ldm + column, pair);
        } else {
            to[column * ldm + row] = f.x[i];
            to[(column + 1) * ldm + row] = f.x[i + 1];
        }
    }
}

// d = a * b + c. Floating-point products are accumulated in float (double in double), integer
// products exactly.
template <int m, int n, int k, class D, class A, class LayoutA, class B, class LayoutB, class C>
CUSIM_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                           const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                           const fragment<matrix_b, m, n, k, B, LayoutB>& b,
                           const fragment<accumulator, m, n, k, C>& c, bool saturate = false,
                           int site = __builtin_LINE()) {
    static_assert(cusim_wmma::go_together<A, B, C, D>(),
                  "mma_sync takes fragments of one type, and accumulators that go with it: __half "
                  "with __half or float, __nv_bfloat16 and precision::tf32 with float, signed and "
                  "unsigned char with int, double with double");
    using FragmentA = fragment<matrix_a, m, n, k, A, LayoutA>;
    using FragmentB = fragment<matrix_b, m, n, k, B, LayoutB>;
    using FragmentC = fragment<accumulator, m, n, k, C>;
    using FragmentD = fragment<accumulator, m, n, k, D>;
    cusim_wmma::Product<FragmentD, FragmentA, FragmentB, FragmentC> product{
        {&cusim_wmma::multiply<m, n, k, FragmentD, FragmentA, FragmentB, FragmentC>},
        &d, &a, &b, &c, saturate};
    cusim::groups::meet(cusim::groups::full_mask, product, site);
}

// Rounds to the nearest TF32 number, ties away from zero.
CUSIM_INLINE float __float_to_tf32(float x) {
    if (x != x || x - x != 0) {
        return x;
    }
    return cusim_wmma::upper_19_bits(__uint_as_float(__float_as_uint(x) + 0x1000u));
}

}  // namespace wmma
}  // namespace nvcuda
