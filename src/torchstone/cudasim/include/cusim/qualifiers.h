// CUDA's declaration specifiers, for a compiler without CUDA support.
#pragma once

// A kernel starts with the launch check, and must not be inlined into it.
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static_assert(false, "cudasim does not support __shared__ in this place");
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
// There is no macro __noinline__: it would break __attribute__((__noinline__)) in the standard
// library. attributes.py rewrites a program's own uses.
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __inline_hint__
#define __nv_pure__
#define __prof_trigger(n) static_cast<void>(n)
#ifndef __clang__
// Not evaluated, as with nvcc.
#define __builtin_assume(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif

// For functions that report to the detectors by other means, or not at all. With the first
// attribute alone, clang would still instrument atomic operations.
#ifdef __clang__
#define CUSIM_UNTOLD no_sanitize("thread"), disable_sanitizer_instrumentation
#else
#define CUSIM_UNTOLD no_sanitize("thread")
#endif

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
// Host and device code are compiled together here, so the macro has its value in device code.
#define __CUDA_ARCH__ 800

// A program that includes <cassert> gets an assert that reports the failing thread.
#define __assert_fail cusim_assert_fail
