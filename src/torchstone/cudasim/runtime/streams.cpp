// Streams and events. All work is executed in the order of the calls.
#include <time.h>

#include <cstdio>
#include <mutex>
#include <set>

#include "runtime.h"

struct CUstream_st {
    unsigned flags;
    int priority;
};
struct CUevent_st {
    double at_ms;
    bool is_recorded, has_time;
};

using namespace cusim;

namespace {

constexpr int least_priority = 0, greatest_priority = -5;

std::mutex& lock() {
    static std::mutex& kept = *new std::mutex;
    return kept;
}
std::set<const void*>& handles() {
    static std::set<const void*>& kept = *new std::set<const void*>;
    return kept;
}

template <class T>
T* make_handle(T value) {
    T* const made = new T(value);
    const std::lock_guard<std::mutex> hold(lock());
    handles().insert(made);
    return made;
}

bool is_handle(const void* handle) {
    const std::lock_guard<std::mutex> hold(lock());
    return handles().count(handle) != 0;
}

template <class T>
cudaError_t destroy(T* handle) {
    const std::lock_guard<std::mutex> hold(lock());
    if (handles().erase(handle) == 0) {
        return cudaErrorInvalidResourceHandle;
    }
    delete handle;
    return cudaSuccess;
}

cudaError_t known(bool is_known) {
    return note(is_known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

double now_ms() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

namespace cusim {
namespace {

// Observation of a called program's streams.
struct Watch {
    const void* stream = nullptr;
    bool is_on = false;
    unsigned elsewhere = 0, to_host = 0;
};
Watch watch;

}  // namespace

bool takes_work(const void* stream) {
    watch.elsewhere += watch.is_on && stream != watch.stream;
    return is_stream(stream);
}
void leaves_device() { watch.to_host += watch.is_on; }

bool is_stream(const void* stream) {
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
           is_handle(stream);
}
}  // namespace cusim

extern "C" {

cudaError_t cudaDeviceSynchronize() {
    std::fflush(stdout);
    return note(cudaSuccess);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) {
        return note(cudaErrorInvalidValue);
    }
    const int clamped = priority > least_priority      ? least_priority
                        : priority < greatest_priority ? greatest_priority
                                                       : priority;
    *stream = make_handle(CUstream_st{flags, clamped});
    return note(cudaSuccess);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, least_priority);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, least_priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return note(destroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    std::fflush(stdout);
    return known(is_stream(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    if (is_stream(stream)) {
        *flags = is_handle(stream) ? stream->flags : cudaStreamDefault;
    }
    return known(is_stream(stream));
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    if (is_stream(stream)) {
        *priority = is_handle(stream) ? stream->priority : least_priority;
    }
    return known(is_stream(stream));
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) {
        *least = least_priority;
    }
    if (greatest) {
        *greatest = greatest_priority;
    }
    return note(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return known(is_stream(stream) && is_handle(event));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
    if (!is_stream(stream)) {
        return note(cudaErrorInvalidResourceHandle);
    }
    if (sticky_error()) {
        return sticky_error();
    }
    function(argument);
    return note(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* argument, unsigned flags) {
    if (!is_stream(stream) || flags != 0) {
        return note(flags != 0 ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    }
    callback(stream, sticky_error(), argument);
    return note(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    if (!event) {
        return note(cudaErrorInvalidValue);
    }
    *event = make_handle(CUevent_st{0, false, !(flags & cudaEventDisableTiming)});
    return note(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return note(destroy(event)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    if (!is_handle(event) || !is_stream(stream)) {
        return note(cudaErrorInvalidResourceHandle);
    }
    event->at_ms = now_ms();
    event->is_recorded = true;
    return note(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return known(is_handle(event)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return known(is_handle(event)); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!is_handle(start) || !is_handle(end) || !start->is_recorded || !end->is_recorded ||
        !start->has_time || !end->has_time) {
        return note(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = static_cast<float>(end->at_ms - start->at_ms);
    return note(cudaSuccess);
}

// Starts or ends the observation: of work given to another stream, and of copies to the host.
void cusim_watch_stream(cudaStream_t stream) { watch = {stream, true, 0, 0}; }
void cusim_end_watch(unsigned* elsewhere, unsigned* to_host) {
    *elsewhere = watch.elsewhere;
    *to_host = watch.to_host;
    watch = {};
}

}  // extern "C"
