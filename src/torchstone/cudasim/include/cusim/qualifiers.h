// What CUDA adds to declarations, for a compiler that knows nothing of it.
#pragma once

// A kernel begins with the way to its launch, and no part of it is to be inlined there.
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static_assert(false, "cudasim does not support __shared__ in this place");
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
// There is no macro __noinline__: the standard library says __attribute__((__noinline__)), which it
// would break. attributes.py deals with a program's own.
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __inline_hint__
#define __nv_pure__
#define __prof_trigger(n) static_cast<void>(n)
#ifndef __clang__
// Not evaluated, as by nvcc.
#define __builtin_assume(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif

// For functions that report to the detectors by other means, or not at all. With the first
// attribute alone, clang would still report atomic operations.
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
// Host and device code are one compilation here, so the value that device code would see.
#define __CUDA_ARCH__ 800

// A program that includes <cassert> gets an assert that knows in which thread it fails.
#define __assert_fail cusim_assert_fail
