// The check build: std::atomic, __atomic_* and __sync_*, and guards of local statics. The compiler
// calls these hooks instead, so they execute the operation; in a kernel the detectors check it
// first.
#include "machine.h"

#if CUSIM_CHECK

#include <mutex>

#include "detect.h"

namespace {

using cusim::detect::accessed_atomically;

enum class Doing { load, store, change };

bool is_in_kernel() { return cusim::worker && cusim::worker->in_kernel; }
bool is_release(int order) { return order >= __ATOMIC_RELEASE; }

// Checks an access before it is executed. A release is a fence before it. An acquire needs no
// fence: a thread that reads an atomic word acquires what its writer released.
struct Visit {
    Visit(const volatile void* address, unsigned size, Doing what, int order, void* pc) {
        if (is_in_kernel() && is_release(order)) {
            cusim_fence(1);
        }
        if (is_in_kernel() && what != Doing::store) {
            // Repeated attempts are a spin loop: another thread, which it waits for, must run
            // first.
            cusim_spin(address);
        }
        cusim::give_way_at(pc);
        accessed_atomically(const_cast<void*>(address), size, what != Doing::store,
                            what != Doing::load, pc);
    }
};

// 16-byte operations use a lock, because the compiler would call a library that is not linked.
std::mutex wide;

template <class T, class F>
T change(volatile T* at, F next) {
    if constexpr (sizeof(T) == 16) {
        const std::lock_guard<std::mutex> hold(wide);
        const T old = *at;
        *at = next(old);
        return old;
    } else {
        T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(at, &old, next(old), true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST)) {
        }
        return old;
    }
}

template <class T>
T load(const volatile T* at) {
    if constexpr (sizeof(T) == 16) {
        const std::lock_guard<std::mutex> hold(wide);
        return *at;
    } else {
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);
    }
}

// Returns the previous value; if it is the expected one, replaces it.
template <class T>
T compare_exchange(volatile T* at, T expected, T desired) {
    return change(at, [=](T old) { return old == expected ? desired : old; });
}

}  // namespace

#define CUSIM_VISIT(WHAT) \
    const Visit visit(at, sizeof *at, Doing::WHAT, order, __builtin_return_address(0))
#define CUSIM_FETCH(BITS, T, NAME, NEXT)                                \
    T __tsan_atomic##BITS##_##NAME(volatile T* at, T value, int order) { \
        CUSIM_VISIT(change);                                            \
        return change(at, [=](T old) { return static_cast<T>(NEXT); }); \
    }
#define CUSIM_COMPARE(BITS, T, NAME)                                                             \
    int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T* at, T* expected, T desired,    \
                                                      int order, int) {                          \
        CUSIM_VISIT(change);                                                                     \
        const T wanted = *expected;                                                              \
        *expected = compare_exchange(at, wanted, desired);                                       \
        return *expected == wanted;                                                              \
    }
#define CUSIM_ATOMICS(BITS, T)                                                                    \
    T __tsan_atomic##BITS##_load(const volatile T* at, int order) {                               \
        CUSIM_VISIT(load);                                                                        \
        return load(at);                                                                          \
    }                                                                                             \
    void __tsan_atomic##BITS##_store(volatile T* at, T value, int order) {                        \
        CUSIM_VISIT(store);                                                                       \
        change(at, [=](T) { return value; });                                                     \
    }                                                                                             \
    CUSIM_FETCH(BITS, T, exchange, (static_cast<void>(old), value))                               \
    CUSIM_FETCH(BITS, T, fetch_add, old + value)                                                  \
    CUSIM_FETCH(BITS, T, fetch_sub, old - value)                                                  \
    CUSIM_FETCH(BITS, T, fetch_and, old & value)                                                  \
    CUSIM_FETCH(BITS, T, fetch_or, old | value)                                                   \
    CUSIM_FETCH(BITS, T, fetch_xor, old ^ value)                                                  \
    CUSIM_FETCH(BITS, T, fetch_nand, ~(old & value))                                              \
    CUSIM_COMPARE(BITS, T, strong)                                                                \
    CUSIM_COMPARE(BITS, T, weak)                                                                  \
    T __tsan_atomic##BITS##_compare_exchange_val(volatile T* at, T expected, T desired, int order, \
                                                 int) {                                           \
        CUSIM_VISIT(change);                                                                      \
        return compare_exchange(at, expected, desired);                                           \
    }

extern "C" {
CUSIM_ATOMICS(8, unsigned char)
CUSIM_ATOMICS(16, unsigned short)
CUSIM_ATOMICS(32, unsigned)
CUSIM_ATOMICS(64, unsigned long)
CUSIM_ATOMICS(128, unsigned __int128)

void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (is_in_kernel()) {
        cusim_fence(1);
    }
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}

#endif
