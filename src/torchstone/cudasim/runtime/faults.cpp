#include "faults.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "findings.h"
#include "instructions.h"
#include "memory.h"
#include "runtime.h"

namespace cusim::faults {

using findings::say;

std::atomic<bool> time_is_up{false};

namespace {

constexpr int watch_signal = SIGURG;  // ignored by default, so a late signal is harmless
constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, watch_signal};

std::mutex armed_lock;
unsigned num_armed = 0;
struct sigaction before[sizeof caught / sizeof *caught];
std::vector<pthread_t> armed_threads;

std::mutex watch_lock;
std::condition_variable watch_wake;
bool watching = false;
// Time slices of a thread before another one runs. The short one is for launches whose threads
// yield: threads wait more often there.
constexpr unsigned short_turn_milliseconds = 2, turn_milliseconds = 20;
// A signal frame takes some kilobytes of the current stack.
constexpr size_t signal_bytes = 24 << 10;
std::atomic<bool> keeps_turns{false};
CUSIM_TLS void* late_at = nullptr;
CUSIM_TLS void* lost_at = nullptr;

void* program_counter(const ucontext_t* context) {
#if defined(__x86_64__)
    return reinterpret_cast<void*>(context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<void*>(context->uc_mcontext.pc);
#else
    return nullptr;
#endif
}

// The return address of the call that led to an address without code.
void* return_address(const ucontext_t* context) {
#if defined(__x86_64__)
    return *reinterpret_cast<void**>(context->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return reinterpret_cast<void*>(context->uc_mcontext.regs[30]);
#else
    static_cast<void>(context);
    return nullptr;
#endif
}

// A kernel is aborted only within its own code: inside a library it may hold a lock.
bool is_in_program(void* pc) {
    Dl_info at{}, kernel{};
    return dladdr(pc, &at) && dladdr(reinterpret_cast<void*>(worker->launch->call), &kernel) &&
           at.dli_fbase == kernel.dli_fbase;
}

int describe_access(findings::Finding& finding, const void* address) {
    memory::Allocation near;
    finding.kind = "out-of-bounds";
    finding.space = "global";
    if (!memory::is_device(address)) {
        const char* const at = static_cast<const char*>(address);
        const char* const dynamic = worker->block->dynamic;
        if (at >= dynamic && at < dynamic + shared_space + page_bytes()) {
            finding.space = "shared";
            finding.variable = "dynamic shared memory";
            finding.offset = at - dynamic;
            finding.allocation_bytes = worker->launch->dynamic_bytes;
            finding.detail = {say("behind-dynamic-shared")};
        } else {
            finding.detail = {say("no-device-memory")};
        }
        return cudaErrorIllegalAddress;
    }
    if (memory::find(address, near)) {
        finding.offset = static_cast<const char*>(address) - near.begin;
        finding.allocation_bytes = near.size;
        if (near.is_freed && finding.offset >= 0 &&
            finding.offset < static_cast<int64_t>(near.size)) {
            finding.kind = "use-after-free";
        }
    }
    return cudaErrorIllegalAddress;
}

int describe_call(findings::Finding& finding, void* pc) {
    finding.kind = "trap";
    finding.detail = {say("wild-call")};
    finding.address = reinterpret_cast<uint64_t>(pc);
    return cudaErrorInvalidPc;
}

int describe(findings::Finding& finding, int signal, siginfo_t* info, const void* pc) {
    finding.address = reinterpret_cast<uint64_t>(info->si_addr);
    if (signal == SIGFPE) {
        finding.kind = "trap";
        finding.detail = {say("division-by-zero")};
        return cudaErrorLaunchFailure;
    }
    if (signal == SIGABRT) {
        finding.kind = "trap";
        finding.detail = {say("aborted")};
        return cudaErrorLaunchFailure;
    }
    if (signal == SIGILL) {
        finding.kind = "trap";
        finding.detail = {say("illegal-instruction")};
        return cudaErrorIllegalInstruction;
    }
    if (is_stack_overflow(*worker, info->si_addr)) {
        finding.kind = "stack-overflow";
        finding.space = "local";
        finding.detail = {say("stack-exceeded", {{"bytes", stack_bytes()}})};
        return cudaErrorHardwareStackError;
    }
    // Without an address: the instruction itself raises the exception.
    if (signal == SIGSEGV && info->si_code == SI_KERNEL && instructions::is_aligned_move(pc)) {
        finding.kind = "misaligned";
        finding.space = "global";
        return cudaErrorMisalignedAddress;
    }
    return describe_access(finding, info->si_addr);
}

// Forwards a signal that no kernel caused to the previous handler.
void pass_on(int signal, siginfo_t* info, void* context) {
    const struct sigaction* theirs = before;
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        theirs = caught[i] == signal ? &before[i] : theirs;
    }
    if (theirs->sa_flags & SA_SIGINFO) {
        theirs->sa_sigaction(signal, info, context);
    } else if (theirs->sa_handler == SIG_DFL || theirs->sa_handler == SIG_IGN) {
        // The instruction faults again on return; a signal sent by a process is raised again.
        sigaction(signal, theirs, nullptr);
        if (info->si_code <= 0) {
            raise(signal);
        }
    } else {
        theirs->sa_handler(signal);
    }
}

// A thread that waits without an atomic operation, for example on a volatile flag, cannot be
// distinguished from a computing one: it is preempted in either case.
bool may_give_way(const ucontext_t* context) {
#if defined(__x86_64__)
    const uintptr_t sp = static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    const uintptr_t sp = context->uc_mcontext.sp;
#else
    static_cast<void>(context);
    const uintptr_t sp = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
    return has_room_below(*worker, sp, signal_bytes);
}

// The watch's signal is delivered on the fiber's own stack, so that the fiber can be suspended and
// resumed at any instruction: its registers are in the signal frame, which the return restores.
void handle_watch(int, siginfo_t*, void* raw) {
    const ucontext_t* const context = static_cast<const ucontext_t*>(raw);
    const int kept_errno = errno;
    void* const pc = program_counter(context);
    if (worker && worker->in_kernel && is_in_program(pc)) {
        if (time_is_up) {
            // On the alternate stack, because this one may be nearly full.
            late_at = pc;
            syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGABRT);
        }
        // In the check build a thread that polls memory yields by itself. There no other thread may
        // run between a hook and the access that it reports.
        if (!checking && !keeps_turns && may_give_way(context)) {
            give_way_for_watch();
        }
    }
    errno = kept_errno;
}

// Runs on the alternate stack and does not return: the fiber and this frame are abandoned.
void handle(int signal, siginfo_t* info, void* raw) {
    const ucontext_t* const context = static_cast<const ucontext_t*>(raw);
    if (!worker || !worker->in_kernel) {
        pass_on(signal, info, raw);
        return;
    }
    findings::Finding finding;
    void* const pc = program_counter(context);
    if (signal == SIGABRT && late_at) {
        // The last access locates a loop better than the current instruction.
        leave_for_time(worker->last_pc ? worker->last_pc : late_at);
    }
    // The watch's signal did not fit on the fiber's stack: it is lost, which is harmless. A second
    // one at the same instruction has another cause.
    if (signal == SIGSEGV && info->si_code == SI_KERNEL && !info->si_addr && pc != lost_at &&
        !may_give_way(context)) {
        lost_at = pc;
        return;
    }
    const bool is_wild_call = signal == SIGSEGV && pc == info->si_addr;
    const int error = is_wild_call ? describe_call(finding, pc)
                                    : describe(finding, signal, info, pc);
    // The symbolizer expects return addresses, one after the instruction.
    void* const place = is_wild_call ? return_address(context)
                        : is_in_program(pc) || !worker->last_pc ? static_cast<char*>(pc) + 1
                                                                : worker->last_pc;
    finding.at = findings::here(place, !is_wild_call && instructions::is_write(context));
    findings::add(finding);
    leave_kernel(error);
}

// CPU time of all threads of this process: on a busy machine a second may pass without progress.
std::chrono::nanoseconds used_time() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

void watch(unsigned until) {
    using std::chrono::milliseconds, std::chrono::steady_clock;
    std::unique_lock<std::mutex> hold(watch_lock);
    const auto over = [] { return !watching; };
    const auto end = steady_clock::now() + milliseconds(until);
    const auto begun = used_time();
    const auto used = begun + milliseconds(until);
    // A kernel with almost no CPU time for so long is blocked; on a busy machine it gets a little.
    const auto patience = end + 9 * milliseconds(until);
    const auto little = begun + milliseconds(until) / 20;
    const bool is_short = cusim_gives_way && !checking;
    auto had_turn = begun;
    // Repeated after the limit, because a thread may be inside a library each time.
    const auto turn = [&] {
        return milliseconds(is_short || time_is_up ? short_turn_milliseconds : turn_milliseconds);
    };
    while (!watch_wake.wait_for(hold, turn(), over)) {
        const auto now = steady_clock::now();
        time_is_up = time_is_up || (now >= end && used_time() >= used) ||
                     (now >= patience && used_time() < little);
        // On a busy machine a time slice may pass without progress.
        if (!time_is_up && used_time() - had_turn < turn()) {
            continue;
        }
        had_turn = used_time();
        const std::lock_guard<std::mutex> armed(armed_lock);
        for (const pthread_t thread : armed_threads) {
            pthread_kill(thread, watch_signal);
        }
    }
}

std::thread watcher;

}  // namespace

Armed::Armed(Worker& worker) {
    // A handler cannot run on a stack that has overflowed.
    worker.signal_stack.resize(64 << 10);
    stack_t stack{};
    stack.ss_sp = worker.signal_stack.data();
    stack.ss_size = worker.signal_stack.size();
    sigaltstack(&stack, &stack_before_);
    const std::lock_guard<std::mutex> hold(armed_lock);
    armed_threads.push_back(pthread_self());
    if (num_armed++ == 0) {
        struct sigaction action{};
        // SA_NODEFER, because the handlers are left by a switch.
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
            const bool is_watch = caught[i] == watch_signal;
            action.sa_sigaction = is_watch ? handle_watch : handle;
            action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | (is_watch ? 0 : SA_ONSTACK);
            sigaction(caught[i], &action, &before[i]);
        }
    }
}

Armed::~Armed() {
    sigaltstack(&stack_before_, nullptr);
    const std::lock_guard<std::mutex> hold(armed_lock);
    for (size_t i = 0; i < armed_threads.size(); i++) {
        if (pthread_equal(armed_threads[i], pthread_self())) {
            armed_threads.erase(armed_threads.begin() + static_cast<ptrdiff_t>(i));
            break;
        }
    }
    if (--num_armed == 0) {
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
            sigaction(caught[i], &before[i], nullptr);
        }
    }
}

void leave_for_time(void* pc) {
    late_at = nullptr;
    findings::Finding finding;
    finding.kind = "timeout";
    finding.detail = {say("time-is-up")};
    finding.at = findings::here(pc, false);
    findings::add(finding);
    leave_kernel(cudaErrorLaunchTimeout);
}

void start_watch(unsigned milliseconds) {
    time_is_up = keeps_turns = false;
    if (milliseconds == 0) {
        return;
    }
    watching = true;
    watcher = std::thread(watch, milliseconds);
}

void stop_watch() {
    if (!watcher.joinable()) {
        return;
    }
    {
        const std::lock_guard<std::mutex> hold(watch_lock);
        watching = false;
    }
    watch_wake.notify_all();
    watcher.join();
}

}  // namespace cusim::faults

using cusim::findings::say;

extern "C" void cusim_assert_fail(const char* expression, const char* file, unsigned line,
                                  const char* function) noexcept {
    if (!cusim_in_kernel()) {
        std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function,
                     expression);
        std::abort();
    }
    // As printed by a GPU.
    std::fprintf(stderr,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                 file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
                 threadIdx.y, threadIdx.z, expression);
    cusim::findings::Finding finding;
    finding.kind = "assert";
    finding.detail = {say("assertion", {{"expression", expression}})};
    finding.at = cusim::findings::here(__builtin_return_address(0), false);
    cusim::findings::add(finding);
    cusim::leave_kernel(cudaErrorAssert);
}

extern "C" void cusim_keep_turns() { cusim::faults::keeps_turns = true; }

extern "C" void cusim_trap() {
    if (!cusim_in_kernel()) {
        std::abort();
    }
    cusim::findings::Finding finding;
    finding.kind = "trap";
    finding.detail = {say("trapped")};
    finding.at = cusim::findings::here(__builtin_return_address(0), false);
    cusim::findings::add(finding);
    cusim::leave_kernel(cudaErrorLaunchFailure);
}

extern "C" long long cusim_clock() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
