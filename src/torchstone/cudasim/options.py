"""Compiler options of CUDA programs."""

# -g1 gives the lines of addresses; the others correspond to nvcc's defaults.
FLAGS = (
    "-std=c++17",
    "-O2",
    "-march=native",
    "-ffp-contract=fast",
    "-fno-strict-aliasing",
    "-fPIC",
    "-fno-plt",
    "-g1",
    "-pthread",
    # Touch every page of a large stack array, so that an overflow hits the unmapped guard page.
    "-fstack-clash-protection",
)
# Library calls for atomics would fault inside the library, where the line is unknown.
AARCH64_FLAGS = ("-mno-outline-atomics",)
# Up to versions 12.3 and 13.1, g++ does not align the stack of a leaf function for 32-byte vectors,
# which also corrupts a neighbouring array of 16-byte elements. So g++ does not use such vectors.
GNU_X86_FLAGS = ("-mprefer-vector-width=128",)
# The runtime defines the hooks that -fsanitize=thread calls; its own library is never linked.
CHECK_FLAGS = ("-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-DCUSIM_CHECK=1")
# Kernels may allocate memory. These wrappers distinguish it from host allocations.
WRAPPED = ("malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm")
# Warnings about constructs that are normal in CUDA.
QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-psabi")
GNU_FLAGS = ("-Wno-tsan", "-fmax-errors=20", "-fno-diagnostics-show-caret")
# Without scalar replacement, a float4 is loaded by one access of 16 bytes and not by four.
GNU_CHECK_FLAGS = ("-fno-tree-sra", "--param=tsan-distinguish-volatile=1")
CLANG_FLAGS = (
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
    "-ferror-limit=20",
    "-fno-caret-diagnostics",
    # addr2line does not find the names of inlined functions in DWARF 5.
    "-gdwarf-4",
)
# An inactive lane may pass an uninitialised value to a shuffle, as on a GPU. For clang that is
# undefined behaviour unless this option is given; the option was renamed after version 14.
CLANG_ANY_ARGUMENT = "-no-enable-noundef-analysis"
CLANG_14_ANY_ARGUMENT = "-disable-noundef-analysis"
CLANG_CHECK_FLAGS = (
    # Count every basic block, not only those from which the others follow.
    "-fsanitize-coverage=trace-pc,bb,no-prune",
    # Report each access of the program as it is: no vectors of several elements, no access merged
    # from two lines, no loop replaced by a call.
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    # A tail call to a barrier leaves no return address, and so no line.
    "-fno-optimize-sibling-calls",
    *(
        word
        for option in (
            "tsan-distinguish-volatile=1",
            "tsan-instrument-read-before-write=1",
            "tsan-instrument-func-entry-exit=0",
            "disable-vector-combine",
            "disable-loop-idiom-all",
            "hoist-common-insts=0",
            "sink-common-insts=0",
            "enable-tail-merge=0",
        )
        for word in ("-mllvm", f"-{option}")
    ),
)
# accesses.py rewrites textual LLVM IR, so the front end runs alone.
CLANG_FRONT_END = ("-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm")
# Up to version 14, clang does not instrument these calls.
CLANG_CHECK_WRAPPED = ("memcpy", "memmove", "memset")
# Two modules in one process may have equally named variables in equally named templates.
GNU_MODULE_FLAGS = ("-fno-gnu-unique",)
PLAIN_MESSAGES = (
    "-fdiagnostics-color=never",
    "-fmessage-length=0",
    "-ftabstop=1",
)
