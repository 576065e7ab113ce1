// Launches: validation, distribution of a grid over workers, and cleanup after a fault.
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "detect.h"
#include "faults.h"
#include "findings.h"
#include "runtime.h"
#include "schedule.h"

namespace cusim {
namespace {

std::mutex launch_lock;  // one launch at a time, as on one stream
struct Settings {
    Order order = Order::ascending;
    uint64_t seed = 1;
    unsigned num_workers = 0;  // 0: the number of processors
    unsigned watchdog_ms = 0;
};

unsigned long number_from(const char* name, unsigned long otherwise) {
    const char* const text = std::getenv(name);
    return text && *text ? std::strtoul(text, nullptr, 10) : otherwise;
}

Settings& settings() {
    static Settings chosen = [] {
        Settings from;
        from.order = static_cast<Order>(number_from("CUSIM_ORDER", 0) % 3);
        from.seed = number_from("CUSIM_SEED", 1);
        from.num_workers = static_cast<unsigned>(number_from("CUSIM_WORKERS", 0));
        from.watchdog_ms = static_cast<unsigned>(number_from("CUSIM_WATCHDOG_MS", 0));
        return from;
    }();
    return chosen;
}

Worker* make_worker() {
    Worker* const made = new Worker;
    return made;
}

void work(Worker& me, LaunchState& launch) {
    worker = &me;
    me.launch = &launch;
    me.random = launch.seed;
    forget_turns(me);
    fit_stacks(me);
    const faults::Armed armed(me);
    run_blocks(me);
}

// The workers other than the calling thread, started on first use and then kept waiting.
class Pool {
   public:
    void run(LaunchState& launch, unsigned num_helpers) {
        {
            const std::lock_guard<std::mutex> hold(lock_);
            while (num_started_ < num_helpers) {
                std::thread([this, number = num_started_] { serve(number); }).detach();
                num_started_++;
            }
            launch_ = &launch;
            num_wanted_ = num_helpers;
            num_busy_ = num_helpers;
            round_++;
        }
        wake_.notify_all();
        work(caller(), launch);
        std::unique_lock<std::mutex> hold(lock_);
        idle_.wait(hold, [this] { return num_busy_ == 0; });
    }

    static Worker& caller() {
        static Worker& mine = *make_worker();
        return mine;
    }

   private:
    void serve(unsigned number) {
        Worker& mine = *make_worker();
        uint64_t seen = 0;
        for (;;) {
            LaunchState* launch;
            {
                std::unique_lock<std::mutex> hold(lock_);
                wake_.wait(hold, [&] { return round_ != seen && number < num_wanted_; });
                seen = round_;
                launch = launch_;
            }
            work(mine, *launch);
            worker = nullptr;
            {
                const std::lock_guard<std::mutex> hold(lock_);
                num_busy_--;
            }
            idle_.notify_one();
        }
    }

    std::mutex lock_;
    std::condition_variable wake_, idle_;
    LaunchState* launch_ = nullptr;
    unsigned num_started_ = 0, num_wanted_ = 0, num_busy_ = 0;
    uint64_t round_ = 0;
};

// Its threads wait on it until the process ends. A child of fork has none of them, so it gets a new
// one; no launch runs during a fork.
Pool& pool() {
    static Pool* kept = nullptr;
    const auto hold = [] { launch_lock.lock(); };
    const auto release = [] { launch_lock.unlock(); };
    const auto begin_anew = [] {
        launch_lock.unlock();
        kept = new Pool;
    };
    static const int armed = pthread_atfork(hold, release, begin_anew);
    static_cast<void>(armed);
    if (!kept) {
        kept = new Pool;
    }
    return *kept;
}

uint64_t most_blocks = 0;

void fill(LaunchState& launch) {
    launch.num_threads = launch.block.x * launch.block.y * launch.block.z;
    launch.num_blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    launch.num_skipped = 0;
    if (most_blocks && launch.num_blocks > most_blocks && !launch.cooperative) {
        launch.num_skipped = launch.num_blocks - most_blocks;
        launch.num_blocks = most_blocks;
    }
    launch.order = settings().order;
    launch.seed = settings().seed * 0x9e3779b97f4a7c15u + cusim_launch_number;
    // In the fast build a thread may poll memory for one that has yielded; only the watch preempts
    // it.
    launch.gives_way =
        checking ? !detect::counts_all()
                 : (launch.order == Order::random && settings().watchdog_ms != 0);
    launch.static_bytes = 0;
    launch.next_block = 0;
    launch.error = 0;
    launch.num_in_grid_barrier = 0;
    launch.num_alive = launch.num_blocks * launch.num_threads;
    launch.indices.resize(launch.num_threads);
    launch.sequence.resize(launch.num_threads);
    for (unsigned rank = 0; rank < launch.num_threads; rank++) {
        launch.indices[rank] = {rank % launch.block.x, rank / launch.block.x % launch.block.y,
                                rank / launch.block.x / launch.block.y};
        const bool down = launch.order == Order::descending;
        launch.sequence[rank] =
            static_cast<uint16_t>(down ? launch.num_threads - 1 - rank : rank);
    }
    if (launch.order == Order::random) {
        uint64_t state = launch.seed;
        for (unsigned i = launch.num_threads; i > 1; i--) {
            std::swap(launch.sequence[i - 1], launch.sequence[draw(state) % i]);
        }
    }
}

void run_launch(LaunchState& launch) {
    Worker& caller = Pool::caller();
    if (launch.cooperative) {
        static std::vector<Block*>& kept = *new std::vector<Block*>;
        while (kept.size() < launch.num_blocks) {
            kept.push_back(make_block());
        }
        cooperative_blocks().assign(kept.begin(),
                                    kept.begin() + static_cast<ptrdiff_t>(launch.num_blocks));
        worker = &caller;
        caller.launch = &launch;
        caller.random = launch.seed;
        forget_turns(caller);
        fit_stacks(caller);
        for (Block* block : cooperative_blocks()) {
            prepare(*block, launch);
        }
        const faults::Armed armed(caller);
        run_all_blocks(caller, cooperative_blocks());
        return;
    }
    unsigned workers = settings().num_workers ? settings().num_workers
                                              : std::max(1u, std::thread::hardware_concurrency());
    // Shadow memory supports one worker; and waking another costs as much as some thousand threads.
    if (checking || launch.num_blocks * launch.num_threads < 16384) {
        workers = 1;
    }
    workers = static_cast<unsigned>(std::min<uint64_t>(workers, launch.num_blocks));
    if (workers == 1) {
        work(caller, launch);
    } else {
        pool().run(launch, workers - 1);
    }
}

}  // namespace

std::vector<Block*>& cooperative_blocks() {
    static std::vector<Block*>& kept = *new std::vector<Block*>;
    return kept;
}

// SplitMix64 (Steele, Lea and Flood 2014, fig. 17).
uint64_t draw(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

}  // namespace cusim

using namespace cusim;

CUSIM_TLS Wanted* cusim_wanted;

static int launch_wanted(const Wanted& wanted, void* identity, void (*call)(void*),
                         const void* arguments, size_t num_bytes, bool cooperative) {
    if (worker && worker->in_kernel) {
        findings::configuration(wanted.name, {findings::say("launch-in-kernel")});
        leave_kernel(cudaErrorNotSupported);
    }
    if (sticky_error() != cudaSuccess) {
        return sticky_error();
    }
    if (!takes_work(wanted.stream)) {
        return note(cudaErrorInvalidResourceHandle);
    }
    const std::lock_guard<std::mutex> hold(launch_lock);
    const cudaError_t refused = refuse_launch(wanted.name, identity, wanted.grid, wanted.block,
                                              wanted.shared_bytes, cooperative);
    if (refused != cudaSuccess) {
        return note(refused);
    }
    static LaunchState& launch = *new LaunchState;
    // Wraps around to 1, because unused slots hold 0.
    cusim_launch_number = cusim_launch_number == ~0u ? 1 : cusim_launch_number + 1;
    launch.name = wanted.name;
    launch.place = findings::place_of_call();
    launch.identity = identity;
    launch.call = call;
    std::memcpy(launch.arguments, arguments, num_bytes);
    launch.grid = wanted.grid;
    launch.block = wanted.block;
    launch.dynamic_bytes = wanted.shared_bytes;
    launch.cooperative = cooperative;
    fill(launch);
    blockDim = wanted.block;
    gridDim = wanted.grid;
    cusim_gives_way = launch.gives_way;
    detect::launch_started(launch);
    faults::start_watch(settings().watchdog_ms);
    // For a launch whose argument is itself a launch.
    Wanted* const outer = cusim_wanted;
    cusim_wanted = nullptr;
    run_launch(launch);
    cusim_wanted = outer;
    faults::stop_watch();
    cusim_gives_way = false;
    detect::launch_ended();
    worker = nullptr;
    const int error = launch.error;
    return note_launch(static_cast<cudaError_t>(error));
}

extern "C" {

int cusim_launch(const char* name, void* identity, void (*call)(void*), const void* arguments,
                 size_t num_bytes, dim3 grid, dim3 block, size_t shared_bytes, void* stream,
                 bool cooperative) {
    findings::called_from(__builtin_return_address(0));
    const Wanted wanted{name, grid, block, shared_bytes, stream, nullptr, nullptr, true};
    return launch_wanted(wanted, identity, call, arguments, num_bytes, cooperative);
}

void cusim_want(Wanted* wanted) {
    wanted->place = __builtin_return_address(0);
    wanted->outer = cusim_wanted;
    cusim_wanted = wanted;
}
bool cusim_is_wanted() { return cusim_wanted != nullptr; }

int cusim_begin(void* identity, void (*call)(void*), const void* arguments, size_t num_bytes) {
    Wanted& wanted = *cusim_wanted;
    cusim_wanted = wanted.outer;
    wanted.has_begun = true;
    findings::called_from(const_cast<void*>(wanted.place));
    return launch_wanted(wanted, identity, call, arguments, num_bytes, false);
}

// An argument expression has thrown, or the callee is not a kernel.
void cusim_never_begun(Wanted* wanted) {
    cusim_wanted = wanted->outer;
    if (std::uncaught_exceptions() == 0) {
        findings::called_from(const_cast<void*>(wanted->place));
        findings::configuration(wanted->name, {findings::say("launch-of-no-kernel")});
        note(cudaErrorInvalidDeviceFunction);
    }
}

uintptr_t cusim_shared_assign(SharedSlot* slot) {
    static std::mutex& lock = *new std::mutex;
    Worker* const me = worker;
    const std::lock_guard<std::mutex> hold(lock);
    if (slot->launch != cusim_launch_number) {
        LaunchState& launch = *me->launch;
        // In the check build allocations are separated by a gap, so that overruns are detected.
        const size_t gap = checking ? 64 : 0;
        const size_t align = std::max<size_t>(slot->align, 16);
        const size_t offset = (launch.static_bytes + gap + align - 1) / align * align;
        if (offset + slot->size > static_shared_limit + (checking ? 4096 : 0)) {
            findings::configuration(launch.name, {findings::say("static-shared-too-large")});
            lock.unlock();
            leave_kernel(cudaErrorInvalidValue);
        }
        if (offset + slot->size + gap > shared_space ||
            launch.dynamic_bytes + offset + slot->size > shared_limit + (checking ? 4096 : 0)) {
            findings::configuration(launch.name, {findings::say("block-shared-too-large")});
            lock.unlock();
            leave_kernel(cudaErrorInvalidValue);
        }
        const auto clear = [&](const std::vector<Block*>& blocks) {
            for (const Block* const block : blocks) {
                std::memset(block->shared + offset, poison, slot->size);
            }
        };
        // Cleared here for blocks that have already started.
        clear({me->block});
        clear(me->paused);
        clear(launch.cooperative ? cooperative_blocks() : std::vector<Block*>());
        launch.static_bytes = offset + slot->size;
        slot->offset = static_cast<unsigned>(offset);
        detect::shared_declared(*slot);
        __atomic_store_n(&slot->launch, cusim_launch_number, __ATOMIC_RELEASE);
    }
    return cusim_shared_base + slot->offset;
}

void* cusim_dynamic_shared() { return worker ? worker->block->dynamic : nullptr; }
unsigned cusim_dynamic_shared_bytes() {
    return worker ? static_cast<unsigned>(worker->launch->dynamic_bytes) : 0;
}
bool cusim_in_kernel() { return worker && worker->in_kernel; }
void cusim_fence(int scope) { detect::fenced(scope); }

void cusim_configure(int order, uint64_t seed, unsigned num_workers, unsigned watchdog_ms) {
    settings() = {static_cast<Order>(order), seed, num_workers, watchdog_ms};
}

// Of a larger grid only the last blocks run: a grid that fills a GPU would take hours here. 0 means
// all.
void cusim_run_last_blocks(uint64_t most) { most_blocks = most; }

}  // extern "C"
