"""Compiler options of CUDA programs."""

# -g1 is what turns an address into a line; the rest is what nvcc's defaults amount to.
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
    # A large array touches every page of the stack, and so the unmapped one below it.
    "-fstack-clash-protection",
)
# Atomics as calls of a library would fault there, where no line is known.
AARCH64_FLAGS = ("-mno-outline-atomics",)
# Up to versions 12.3 and 13.1, g++ leaves a function that calls no other without the alignment that
# a vector of 32 bytes wants on its stack, and an array of 16-byte elements beside it goes wrong
# with it: none such are made.
GNU_X86_FLAGS = ("-mprefer-vector-width=128",)
# The runtime defines the hooks that -fsanitize=thread calls; its own library is never linked.
CHECK_FLAGS = ("-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-DCUSIM_CHECK=1")
# A kernel may allocate memory. These wrappers distinguish it from the host's memory.
WRAPPED = ("malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm")
# What a program of CUDA may hold that the C++ compiler need not speak of.
QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-psabi")
GNU_FLAGS = ("-Wno-tsan", "-fmax-errors=20", "-fno-diagnostics-show-caret")
# Without scalar replacement, a float4 is loaded by one access of 16 bytes and not by four.
GNU_CHECK_FLAGS = ("-fno-tree-sra", "--param=tsan-distinguish-volatile=1")
CLANG_FLAGS = (
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
    "-ferror-limit=20",
    "-fno-caret-diagnostics",
    # Of version 5, addr2line does not find the names of inlined functions.
    "-gdwarf-4",
)
# A lane that takes no part may pass an uninitialised value to a shuffle, as on a GPU. To clang that
# is undefined without an option that allows any argument; its name has changed once.
CLANG_ANY_ARGUMENT = "-no-enable-noundef-analysis"
CLANG_14_ANY_ARGUMENT = "-disable-noundef-analysis"
CLANG_CHECK_FLAGS = (
    # Every basic block is counted, not only those from which the others follow.
    "-fsanitize-coverage=trace-pc,bb,no-prune",
    # Report each access of the program as it is: no vectors of several elements, no access merged
    # from two lines, no loop replaced by a call.
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    # A jump to a barrier leaves no return address, and so no line.
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
# What accesses.py rewrites is text, and comes from the front end alone.
CLANG_FRONT_END = ("-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm")
# Up to version 14 it does not tell of these in any other way.
CLANG_CHECK_WRAPPED = ("memcpy", "memmove", "memset")
# Two modules in one process may have variables of the same name in templates of the same name.
GNU_MODULE_FLAGS = ("-fno-gnu-unique",)
PLAIN_MESSAGES = (
    "-fdiagnostics-color=never",
    "-fmessage-length=0",
    "-ftabstop=1",
)
