// The context switch: in assembly for x86-64 and aarch64, by ucontext on other machines.
#include "fiber.h"

#include <cstdint>

#if !defined(CUSIM_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define CUSIM_UCONTEXT 1
#endif

#if defined(CUSIM_UCONTEXT)

#include <ucontext.h>

extern "C" void cusim_switch(void** save, void* to) {
    ucontext_t here;
    *save = &here;
    swapcontext(&here, static_cast<ucontext_t*>(to));
}

namespace cusim {
void* prepare_fiber(char* bottom, char* top, void (*begin)()) {
    // The context is stored at the upper end of its own stack.
    const uintptr_t end = (reinterpret_cast<uintptr_t>(top) - sizeof(ucontext_t)) & ~uintptr_t(63);
    ucontext_t* const context = reinterpret_cast<ucontext_t*>(end);
    getcontext(context);
    context->uc_stack.ss_sp = bottom;
    context->uc_stack.ss_size = end - reinterpret_cast<uintptr_t>(bottom);
    context->uc_link = nullptr;
    makecontext(context, begin, 0);
    return context;
}
}  // namespace cusim

#elif defined(__x86_64__)

// Callee-saved registers of the System V ABI: rbx, rbp, r12-r15. All fibers share the
// floating-point modes. `pop; jmp` instead of `ret`, because the processor's return stack buffer
// does not match these stacks.
asm(R"(
.text
.globl cusim_switch
.type cusim_switch,@function
cusim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx
.size cusim_switch,.-cusim_switch
)");

namespace cusim {
void* prepare_fiber(char*, char* top, void (*begin)()) {
    void** sp = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(63));
    *--sp = nullptr;  // the position of a return address: backtraces end here
    *--sp = reinterpret_cast<void*>(begin);
    for (int i = 0; i < 6; i++) {
        *--sp = nullptr;
    }
    return sp;
}
}  // namespace cusim

#else

// AAPCS64: x19-x30 and the lower halves of v8-v15.
asm(R"(
.text
.globl cusim_switch
.type cusim_switch,%function
cusim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size cusim_switch,.-cusim_switch
)");

namespace cusim {
void* prepare_fiber(char*, char* top, void (*begin)()) {
    void** sp = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(63)) - 20;
    for (int i = 0; i < 20; i++) {
        sp[i] = nullptr;
    }
    sp[11] = reinterpret_cast<void*>(begin);  // x30: the target of `ret`
    return sp;
}
}  // namespace cusim

#endif
