// Launches: the target of the rewritten `kernel<<<grid, block>>>(...)`.
//
// It becomes `Configuration(grid, block), kernel(...)`: an ordinary call, so overloads, template
// arguments, defaults, braces and conversions follow the language rules. The kernel first checks
// whether it is called for a launch, and if so passes its arguments to its LaunchStub.
#pragma once

#include <type_traits>
#include <utility>

#include "cusim/abi.h"
#include "cusim/runtime_types.h"

#define CUSIM_NAME(...) CUSIM_NAME_(__VA_ARGS__)
#define CUSIM_NAME_(...) #__VA_ARGS__

namespace cusim {
#if CUSIM_CHECK
// Arguments are in host memory; reading them is not an access of the kernel. Without noclone, g++
// moves the reads of a small function into its callers.
#define CUSIM_PLAIN __attribute__((noinline, noclone, CUSIM_UNTOLD))
#else
#define CUSIM_PLAIN
#endif

// Maximum size of a kernel's parameters; before CUDA 12.1 it was 4 KiB.
constexpr size_t max_parameter_bytes = 32764;

template <class... P>
constexpr size_t parameter_bytes() {
    size_t bytes = 0;
    ((bytes = (bytes + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
    return bytes;
}

// A tuple of arguments. Not std::tuple, whose functions would be instrumented.
template <class... P>
struct Pack {};
template <class P, class... Rest>
struct Pack<P, Rest...> {
    P first;
    Pack<Rest...> rest;

    template <class A, class... B>
    explicit Pack(A&& one, B&&... others)
        : first(static_cast<P>(std::forward<A>(one))), rest(std::forward<B>(others)...) {}
};

// A kernel with its arguments. The runtime copies it bytewise, as the driver of a GPU does.
template <class F, class... P>
struct Closure {
    F function;
    Pack<P...> arguments;
    static_assert(parameter_bytes<P...>() <= max_parameter_bytes,
                  "the kernel's parameters exceed 32764 bytes");

    CUSIM_PLAIN static void call(void* self) {
        static_assert(sizeof(Closure) <= max_closure_bytes,
                      "the kernel's parameters are too large");
        Closure* const closure = static_cast<Closure*>(self);
        apply(closure->function, closure->arguments);
    }

   private:
    template <class... Done>
    CUSIM_PLAIN static void apply(F& function, Pack<>&, Done&... done) {
        function(done...);
    }
    template <class Q, class... Rest, class... Done>
    CUSIM_PLAIN static void apply(F& function, Pack<Q, Rest...>& pack, Done&... done) {
        apply(function, pack.rest, done..., pack.first);
    }
};

// A non-deduced parameter.
template <class T>
struct just_ {
    using type = T;
};
template <class T>
using just = typename just_<T>::type;

class Launch {
   public:
    Launch(const char* name, dim3 grid, dim3 block, size_t shared_bytes = 0,
           cudaStream_t stream = nullptr, bool cooperative = false)
        : name_(name),
          grid_(grid),
          block_(block),
          shared_bytes_(shared_bytes),
          stream_(stream),
          cooperative_(cooperative) {}

    // A function with known parameters: arguments are converted as in a call, including 0 and {}.
    template <class... P>
    CUSIM_INLINE int run(void (*kernel)(P...), just<P>... arguments) const {
        Closure<void (*)(P...), std::decay_t<P>...> closure{
            kernel, Pack<std::decay_t<P>...>(std::forward<P>(arguments)...)};
        return start(reinterpret_cast<void*>(kernel), closure);
    }

    // Any other callable: a template whose arguments are deduced in the call.
    template <class F, class... A,
              class = std::enable_if_t<!std::is_function<std::remove_pointer_t<F>>::value>>
    CUSIM_INLINE int run(F function, A&&... arguments) const {
        Closure<F, std::decay_t<A>...> closure{
            function, Pack<std::decay_t<A>...>(std::forward<A>(arguments)...)};
        return start(nullptr, closure);
    }

   private:
    template <class C>
    CUSIM_INLINE int start(void* identity, C& closure) const {
        return cusim_launch(name_, identity, &C::call, &closure, sizeof(C), grid_, block_,
                            shared_bytes_, stream_, cooperative_);
    }

    const char* name_;
    dim3 grid_, block_;
    size_t shared_bytes_;
    cudaStream_t stream_;
    bool cooperative_;
};

class Configuration {
   public:
    // Inlined, so that the launch is attributed to the program's line.
    CUSIM_INLINE Configuration(const char* name, dim3 grid, dim3 block, size_t shared_bytes = 0,
                               cudaStream_t stream = nullptr)
        : wanted_{name, grid, block, shared_bytes, stream, nullptr, nullptr, false} {
        cusim_want(&wanted_);
    }
    Configuration(const Configuration&) = delete;
    CUSIM_INLINE ~Configuration() {
        if (!wanted_.has_begun) {
            cusim_never_begun(&wanted_);
        }
    }

   private:
    Wanted wanted_;
};

// The first check in a kernel.
CUSIM_INLINE bool is_called_for_launch() {
#if CUSIM_CHECK
    // Not a load, which would be instrumented as one of the kernel.
    return __builtin_expect(cusim_is_wanted(), false);
#else
    return __builtin_expect(cusim_wanted != nullptr, false);
#endif
}

// ---- kernel descriptions for callers outside C++

template <class T>
constexpr char letter_of() {
    return std::is_same<T, bool>::value        ? 'b'
           : std::is_enum<T>::value            ? 'i'
           : std::is_floating_point<T>::value  ? 'f'
           : std::is_pointer<T>::value         ? 'p'
           : std::is_void<T>::value            ? 'v'
           : !std::is_integral<T>::value       ? 's'
           : std::is_signed<T>::value          ? 'i'
                                               : 'u';
}

template <class T, bool = std::is_void<T>::value || std::is_function<T>::value>
struct size_of {
    static constexpr unsigned value = 0;
};
template <class T>
struct size_of<T, false> {
    static constexpr unsigned value = sizeof(T);
};

struct Parameter {
    char letter;  // b bool, i signed, u unsigned, f floating point, p pointer, s structure
    char pointee; // of a pointer's target; v is void
    bool is_constant;
    unsigned size;
    unsigned pointee_size;

    template <class T>
    static constexpr Parameter of() {
        using Value = std::decay_t<T>;
        using Pointee = std::remove_pointer_t<Value>;
        return {letter_of<Value>(), letter_of<std::remove_cv_t<Pointee>>(),
                std::is_const<Pointee>::value, static_cast<unsigned>(sizeof(Value)),
                size_of<Pointee>::value};
    }
};

struct KernelEntry {
    const char* name;
    void* identity;
    const Parameter* parameters;
    unsigned num_parameters;
    int (*run)(const KernelEntry& entry, const Launch& launch, void** values);
};

extern "C" void cusim_register_entry(const KernelEntry* entry);
extern "C" void cusim_register_instance(KernelEntry* entry);
extern "C" void cusim_register_symbol(void* address, size_t size, const char* name, int kind);

// Registers a kernel by name, with its parameter types. Its objects are never destroyed.
class Registered {
   public:
    template <class... P>
    Registered(const char* name, void (*kernel)(P...)) : entry_(describe(name, kernel)) {
        cusim_register_entry(&entry_);
    }

   protected:
    Registered() = default;

    template <class... P>
    static KernelEntry describe(const char* name, void (*kernel)(P...)) {
        static const Parameter parameters[sizeof...(P) + 1] = {Parameter::of<P>()...};
        return {name, reinterpret_cast<void*>(kernel), parameters, sizeof...(P),
                [](const KernelEntry& entry, const Launch& launch, void** values) {
                    return call(reinterpret_cast<void (*)(P...)>(entry.identity), launch, values,
                                std::index_sequence_for<P...>());
                }};
    }

    KernelEntry entry_;

   private:
    template <class... P, size_t... I>
    static int call(void (*kernel)(P...), const Launch& launch, void** values,
                    std::index_sequence<I...>) {
        static_cast<void>(values);
        return launch.run(kernel, *static_cast<std::decay_t<P>*>(values[I])...);
    }
};

// Registers a kernel instance by address, the only argument of cudaLaunchKernel.
template <auto Kernel>
class Instance : Registered {
   public:
    Instance() {
        entry_ = describe(spell(), Kernel);
        cusim_register_instance(&entry_);
    }

   private:
    static const char* spell() { return __PRETTY_FUNCTION__; }
};

// The type of a parameter in the function's type. A cast to the function type does not strip const
// and __restrict__ in all templates (g++ 12).
template <class T>
struct plain_ {
    using type = T;
};
template <class T>
struct plain_<const T> : plain_<T> {};
template <class T>
struct plain_<volatile T> : plain_<T> {};
template <class T>
struct plain_<const volatile T> : plain_<T> {};
template <class T>
struct plain_<T* __restrict> : plain_<T*> {};
template <class T>
struct plain_<T* const __restrict> : plain_<T*> {};
template <class T>
using plain_type = typename plain_<T>::type;

template <auto Kernel, class = decltype(Kernel)>
struct LaunchStub;
template <auto Kernel, class... P>
struct LaunchStub<Kernel, void (*)(P...)> {
    static const Instance<Kernel> instance;

    // By value: a parameter whose address is taken would not stay in a register of the kernel.
    __attribute__((noinline, cold)) static void begin_launch(P... arguments) {
        static_cast<void>(&instance);  // instantiates it for every kernel with a body
        Closure<void (*)(P...), std::decay_t<P>...> closure{
            Kernel, Pack<std::decay_t<P>...>(std::forward<P>(arguments)...)};
        cusim_begin(reinterpret_cast<void*>(Kernel), &closure.call, &closure, sizeof closure);
    }
};
template <auto Kernel, class... P>
const Instance<Kernel> LaunchStub<Kernel, void (*)(P...)>::instance;

struct Symbol {
    Symbol(const volatile void* address, size_t size, const char* name, SymbolKind kind) {
        cusim_register_symbol(const_cast<void*>(address), size, name, static_cast<int>(kind));
    }
};

// Start of a kernel with __launch_bounds__: larger blocks do not run.
template <class... Rest>
CUSIM_INLINE void launch_bounds(long long max_threads, Rest...) {
    const long long threads = static_cast<long long>(blockDim.x) * blockDim.y * blockDim.z;
    if (__builtin_expect(threads > max_threads, false)) {
        cusim_exceeds_bounds(max_threads);
    }
}

// Address of a __shared__ variable in the current block.
CUSIM_PLAIN inline void* shared_variable(SharedSlot& slot) {
    if (__atomic_load_n(&slot.launch, __ATOMIC_ACQUIRE) == cusim_launch_number) {
        return reinterpret_cast<void*>(cusim_shared_base + slot.offset);
    }
    return reinterpret_cast<void*>(cusim_shared_assign(&slot));
}
}  // namespace cusim
