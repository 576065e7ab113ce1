// Atomic functions. They are sequentially consistent here, which is stronger than in CUDA; the
// detectors report orders that CUDA does not guarantee.
#pragma once

#include <cstring>
#include <type_traits>

#include "cusim/abi.h"

// cusim_spin is called after an attempt that did not change the word. A spinning thread yields to
// others, as under a GPU's scheduler: one of them holds the lock. begin_atomic and end_atomic yield
// occasionally, whatever the outcome of the attempt.

namespace cusim {
// Opaque functions, so that -fsanitize=thread instruments no access behind the call.
#if CUSIM_CHECK
#define CUSIM_ATOMIC __attribute__((noinline, CUSIM_UNTOLD))
CUSIM_INLINE void begin_atomic(void* address, unsigned size, bool in_block = false,
                               bool is_comparing = false) {
    cusim_atomic_access(address, size, in_block, is_comparing);
}
// Tested in the runtime: a test here would be instrumented as an access of the kernel.
CUSIM_INLINE void end_atomic() { cusim_give_way(); }
#else
#define CUSIM_ATOMIC __attribute__((always_inline))
CUSIM_INLINE void end_atomic() {
    if (__builtin_expect(cusim_gives_way, 0)) {
        cusim_give_way();
    }
}
CUSIM_INLINE void begin_atomic(void*, unsigned, bool = false, bool = false) { end_atomic(); }
#endif

template <class T>
using word_of = typename std::conditional<
    sizeof(T) == 8, unsigned long long,
    typename std::conditional<sizeof(T) == 4, unsigned, unsigned short>::type>::type;

template <class T, class F>
CUSIM_ATOMIC inline T update(T* address, F change) {
    using Word = word_of<T>;
    Word* const word = reinterpret_cast<Word*>(address);
    Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        T before;
        std::memcpy(&before, &old, sizeof(T));
        const T after = change(before);
        Word wanted;
        std::memcpy(&wanted, &after, sizeof(T));
        if (__atomic_compare_exchange_n(word, &old, wanted, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return before;
        }
    }
}

template <class T>
CUSIM_ATOMIC inline T fetch_add(T* address, T value) {
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
CUSIM_ATOMIC inline T fetch_and(T* address, T value) {
    return __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
CUSIM_ATOMIC inline T fetch_or(T* address, T value) {
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
CUSIM_ATOMIC inline T fetch_xor(T* address, T value) {
    return __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
CUSIM_ATOMIC inline T exchange(T* address, T value) {
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
CUSIM_ATOMIC inline T compare_and_swap(T* address, T compare, T value) {
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return compare;
}
template <class T>
CUSIM_INLINE T exchange_or_spin(T* address, T value) {
    const T before = exchange(address, value);
    if (before == value) {
        cusim_spin(address);
    }
    return before;
}
}  // namespace cusim

// The scope has no effect here; the detectors report one that is too narrow. FIRST runs before
// everything else: after an atomic access a thread may rely on everything that happened before it.
#define CUSIM_ATOMIC_FUNCTION(NAME, TYPE, DO) CUSIM_ATOMIC_FUNCTION_(NAME, TYPE, (void)0, DO, false)
#define CUSIM_COMPARING_FUNCTION(NAME, TYPE, DO) \
    CUSIM_ATOMIC_FUNCTION_(NAME, TYPE, (void)0, DO, true)
#define CUSIM_ATOMIC_FUNCTION_(NAME, TYPE, FIRST, DO, IS_COMPARING)                               \
    CUSIM_INLINE TYPE NAME(TYPE* address, TYPE value) {                                           \
        FIRST;                                                                                    \
        cusim::begin_atomic(address, sizeof(TYPE), false, IS_COMPARING);                          \
        const TYPE before = DO;                                                                   \
        cusim::end_atomic();                                                                      \
        return before;                                                                            \
    }                                                                                             \
    CUSIM_INLINE TYPE NAME##_block(TYPE* address, TYPE value) {                                   \
        FIRST;                                                                                    \
        cusim::begin_atomic(address, sizeof(TYPE), true, IS_COMPARING);                           \
        const TYPE before = DO;                                                                   \
        cusim::end_atomic();                                                                      \
        return before;                                                                            \
    }                                                                                             \
    CUSIM_INLINE TYPE NAME##_system(TYPE* address, TYPE value) { return NAME(address, value); }

#define CUSIM_BY(EXPRESSION) \
    (cusim::update(address, [value](auto old) { return static_cast<decltype(old)>(EXPRESSION); }))
#define CUSIM_INTEGERS(NAME, DO)                    \
    CUSIM_ATOMIC_FUNCTION(NAME, int, DO)            \
    CUSIM_ATOMIC_FUNCTION(NAME, unsigned, DO)       \
    CUSIM_ATOMIC_FUNCTION(NAME, unsigned long long, DO)

// Adding 0 is an idiom for reading a word that others change; so is an or with 0.
#define CUSIM_POLL() __builtin_constant_p(value) && value == 0 ? cusim_spin(address) : (void)0
#define CUSIM_POLLING(NAME, TYPE, DO) CUSIM_ATOMIC_FUNCTION_(NAME, TYPE, CUSIM_POLL(), DO, false)
#define CUSIM_POLLING_INTEGERS(NAME, DO)    \
    CUSIM_POLLING(NAME, int, DO)            \
    CUSIM_POLLING(NAME, unsigned, DO)       \
    CUSIM_POLLING(NAME, unsigned long long, DO)
CUSIM_POLLING_INTEGERS(atomicAdd, cusim::fetch_add(address, value))
CUSIM_ATOMIC_FUNCTION(atomicAdd, float, CUSIM_BY(old + value))
CUSIM_ATOMIC_FUNCTION(atomicAdd, double, CUSIM_BY(old + value))
CUSIM_ATOMIC_FUNCTION(atomicSub, int, CUSIM_BY(old - value))
CUSIM_ATOMIC_FUNCTION(atomicSub, unsigned, CUSIM_BY(old - value))
CUSIM_INTEGERS(atomicExch, cusim::exchange_or_spin(address, value))
CUSIM_ATOMIC_FUNCTION(atomicExch, float, CUSIM_BY((static_cast<void>(old), value)))
CUSIM_COMPARING_FUNCTION(atomicMin, int, CUSIM_BY(value < old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMin, unsigned, CUSIM_BY(value < old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMin, unsigned long long, CUSIM_BY(value < old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMax, int, CUSIM_BY(value > old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMax, unsigned, CUSIM_BY(value > old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMax, unsigned long long, CUSIM_BY(value > old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMin, long long, CUSIM_BY(value < old ? value : old))
CUSIM_COMPARING_FUNCTION(atomicMax, long long, CUSIM_BY(value > old ? value : old))
CUSIM_ATOMIC_FUNCTION(atomicAnd, long long, cusim::fetch_and(address, value))
CUSIM_ATOMIC_FUNCTION(atomicOr, long long, cusim::fetch_or(address, value))
CUSIM_ATOMIC_FUNCTION(atomicXor, long long, cusim::fetch_xor(address, value))
CUSIM_INTEGERS(atomicAnd, cusim::fetch_and(address, value))
CUSIM_POLLING_INTEGERS(atomicOr, cusim::fetch_or(address, value))
CUSIM_INTEGERS(atomicXor, cusim::fetch_xor(address, value))
CUSIM_ATOMIC_FUNCTION(atomicInc, unsigned, CUSIM_BY(old >= value ? 0u : old + 1))
CUSIM_ATOMIC_FUNCTION(atomicDec, unsigned, CUSIM_BY(old == 0 || old > value ? value : old - 1))
#undef CUSIM_POLL
#undef CUSIM_INTEGERS
#undef CUSIM_BY
#undef CUSIM_ATOMIC_FUNCTION
#undef CUSIM_ATOMIC_FUNCTION_

namespace cusim {
template <class T>
CUSIM_INLINE T compare_or_spin(T* address, T compare, T value, bool in_block) {
    begin_atomic(address, sizeof(T), in_block, true);
    const T before = compare_and_swap(address, compare, value);
    end_atomic();
    if (before != compare) {
        cusim_spin(address);
    }
    return before;
}
}  // namespace cusim

#define CUSIM_COMPARE_AND_SWAP(TYPE)                                                 \
    CUSIM_INLINE TYPE atomicCAS(TYPE* address, TYPE compare, TYPE value) {           \
        return cusim::compare_or_spin(address, compare, value, false);               \
    }                                                                                \
    CUSIM_INLINE TYPE atomicCAS_block(TYPE* address, TYPE compare, TYPE value) {     \
        return cusim::compare_or_spin(address, compare, value, true);                \
    }                                                                                \
    CUSIM_INLINE TYPE atomicCAS_system(TYPE* address, TYPE compare, TYPE value) {    \
        return cusim::compare_or_spin(address, compare, value, false);               \
    }
CUSIM_COMPARE_AND_SWAP(int)
CUSIM_COMPARE_AND_SWAP(unsigned)
CUSIM_COMPARE_AND_SWAP(unsigned long long)
CUSIM_COMPARE_AND_SWAP(unsigned short)
#undef CUSIM_COMPARE_AND_SWAP
#undef CUSIM_ATOMIC

// The 16-bit types, scalar and paired: their headers are not required before this one.
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace cusim {
template <class T>
constexpr bool is_narrow = std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value;
template <class T>
constexpr bool is_narrow_pair =
    std::is_same<T, __half2>::value || std::is_same<T, __nv_bfloat162>::value;

// A non-deduced parameter, so that an argument of another type is converted.
template <class T>
struct Plain {
    using type = T;
};
}  // namespace cusim

template <class T, std::enable_if_t<cusim::is_narrow<T>, int> = 0>
CUSIM_INLINE T atomicAdd(T* address, typename cusim::Plain<T>::type value) {
    cusim::begin_atomic(address, sizeof(T));
    const T before = cusim::update(address, [value](T old) { return __hadd(old, value); });
    cusim::end_atomic();
    return before;
}
template <class T, std::enable_if_t<cusim::is_narrow_pair<T>, int> = 0>
CUSIM_INLINE T atomicAdd(T* address, typename cusim::Plain<T>::type value) {
    cusim::begin_atomic(address, sizeof(T));
    const T before = cusim::update(address, [value](T old) { return __hadd2(old, value); });
    cusim::end_atomic();
    return before;
}
