// Header of a problem's launcher. A launcher defines `void launch(judge::Call&)`: it copies the
// inputs of the case to the device, calls the submission, and returns the results. The submission
// is another translation unit, so its definitions do not change this one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

extern "C" {
void cusim_run_last_blocks(uint64_t most);
void cusim_watch_stream(cudaStream_t stream);
void cusim_end_watch(unsigned* elsewhere, unsigned* to_host);
}

namespace judge {

// Mirrored by child/loaders/native.py.
struct Value {
    const char* name;
    char kind;          // i integer, r real, t input tensor, o output tensor
    int64_t integer;    // of a tensor: offset in bytes of its address from an aligned address
    double real;
    void* data;
    uint64_t num_bytes;
};

enum Broken : int { nothing = 0, input_changed = 1, before_buffer = 2 };

// Mirrored by child/loaders/native.py: what becomes of the buffers of a call, and where they come from.
enum Buffers : int { freed = 0, kept = 1, used_again = 2 };

// Device memory between guard bytes and the end of its allocation. The detectors know where an
// allocation begins, so the check build has no guard bytes.
class Buffer {
   public:
#ifdef CUSIM_CHECK
    static constexpr size_t guard_bytes = 0;
#else
    static constexpr size_t guard_bytes = 256;
#endif
    static constexpr unsigned char guard = 0xa5, poison = 0xff;

    Buffer(size_t num_bytes, size_t offset) : size_(num_bytes), before_(guard_bytes + offset) {
        if (cudaMalloc(&base_, before_ + size_) != cudaSuccess) {
            std::fprintf(stderr, "the launcher: no %zu bytes of the device\n", before_ + size_);
            std::abort();
        }
        if (guard_bytes) {
            cudaMemset(base_, guard, before_);
        }
    }
    ~Buffer() { cudaFree(base_); }
    Buffer(const Buffer&) = delete;

    char* data() const { return static_cast<char*>(base_) + before_; }
    size_t size() const { return size_; }
    void fill(int byte) { cudaMemset(data(), byte, size_); }
    void write(const void* from) { cudaMemcpy(data(), from, size_, cudaMemcpyHostToDevice); }
    void read(void* to) const { cudaMemcpy(to, data(), size_, cudaMemcpyDeviceToHost); }
    bool has_guard() const {
        std::vector<unsigned char> bytes(guard_bytes ? before_ : 0);
        if (!bytes.empty()) {
            cudaMemcpy(bytes.data(), base_, bytes.size(), cudaMemcpyDeviceToHost);
        }
        for (const unsigned char byte : bytes) {
            if (byte != guard) {
                return false;
            }
        }
        return true;
    }

   private:
    void* base_ = nullptr;
    size_t size_, before_;
};

// The stream of a call and its buffers, in the order in which the launcher requested them.
struct Device {
    cudaStream_t stream = nullptr;
    std::list<Buffer> buffers;

    void free() {
        if (stream) {
            cudaStreamDestroy(stream);
            stream = nullptr;
        }
        buffers.clear();
    }
    void take(Device& other) {
        std::swap(stream, other.stream);
        buffers.splice(buffers.end(), other.buffers);
    }
};

// What the last call left for the next one. Never destroyed: the runtime may end before.
static Device& kept_device() {
    static Device* const device = new Device;
    return *device;
}

// One call of the submission: the inputs and the outputs of the case, by name.
class Call {
   public:
    Call(const char* operation, Value* values, int num_values)
        : operation_(operation), values_(values), num_values_(num_values) {
        if (mode() == used_again) {
            former_.take(kept_device());
            std::swap(device_.stream, former_.stream);
        } else {
            kept_device().free();
            cudaStreamCreate(&device_.stream);
        }
    }
    ~Call() {
        if (mode() == kept) {
            kept_device().take(device_);
        }
        device_.free();
        former_.free();
    }
    Call(const Call&) = delete;

    bool is(const char* operation) const { return std::strcmp(operation_, operation) == 0; }
    cudaStream_t stream() const { return device_.stream; }
    int64_t integer(const char* name) { return require(name).integer; }
    double real(const char* name) { return require(name).real; }
    bool has(const char* name) { return find(name) != nullptr; }

    // A tensor that the submission reads; `finish` compares it. Null if the case has none.
    template <class T>
    const T* input(const char* name) {
        Value* const value = find(name);
        return value ? reinterpret_cast<const T*>(given(*value, true).data()) : nullptr;
    }
    // A tensor that it writes, poisoned before. Null if the case has none.
    template <class T>
    T* output(const char* name) {
        return reinterpret_cast<T*>(made(name, Buffer::poison));
    }
    // A tensor that it adds to, filled with zeros before.
    template <class T>
    T* zeros(const char* name) {
        return reinterpret_cast<T*>(made(name, 0));
    }
    // A tensor that it changes in place: a copy of the input `begins_as`, and the result `name`.
    template <class T>
    T* in_place(const char* name, const char* begins_as) {
        Buffer& buffer = given(require(begins_as), false);
        results_.push_back({&require(name), &buffer});
        return reinterpret_cast<T*>(buffer.data());
    }

    // A buffer that is too large to fill; only its end is copied. The tensor `tail` is this end;
    // `length` counts elements of T.
    template <class T>
    T* sparse(const char* tail, int64_t length) {
        Value& value = require(tail);
        if (mode() == used_again) {
            abort("a sparse buffer is not used again");
        }
        Buffer& buffer = device_.buffers.emplace_back(length * sizeof(T), 0);
        char* const end = buffer.data() + buffer.size() - value.num_bytes;
        if (value.kind == 't') {
            cudaMemcpy(end, value.data, value.num_bytes, cudaMemcpyHostToDevice);
        } else {
            tails_.push_back({&value, end});
        }
        return reinterpret_cast<T*>(buffer.data());
    }

    // Calls a host function of the submission; its return value is the result `status`. The results
    // `elsewhere` and `to_host` count work on other streams and copies to the host.
    template <class F>
    void entry(F function) {
        unsigned elsewhere = 0, to_host = 0;
        cusim_watch_stream(stream());
        const int64_t status = function();
        cusim_end_watch(&elsewhere, &to_host);
        returned("status", status);
        returned("elsewhere", elsewhere);
        returned("to_host", to_host);
    }

    // Sets an integer result.
    void returned(const char* name, int64_t number) { require(name).integer = number; }

    // Waits and copies the results back. The result `broken` names a broken rule, `error` an error.
    void finish() {
        const cudaError_t waited = cudaStreamSynchronize(stream());
        const cudaError_t last = cudaGetLastError();
        returned("error", waited != cudaSuccess ? waited : last);
        int broken = nothing;
        if (waited != cudaSuccess || last != cudaSuccess) {
            // After an error nothing can be copied, so the buffers cannot be checked.
            returned("broken", broken);
            return;
        }
        for (const Buffer& buffer : device_.buffers) {
            broken = buffer.has_guard() ? broken : before_buffer;
        }
        for (const auto& [value, buffer] : inputs_) {
            std::vector<char> now(buffer->size());
            buffer->read(now.data());
            if (std::memcmp(now.data(), value->data, now.size()) != 0) {
                broken = broken ? broken : input_changed;
            }
        }
        for (const auto& [value, buffer] : results_) {
            buffer->read(value->data);
        }
        for (const auto& [value, at] : tails_) {
            cudaMemcpy(value->data, at, value->num_bytes, cudaMemcpyDeviceToHost);
        }
        returned("broken", broken);
    }

   private:
    struct Held {
        Value* value;
        Buffer* buffer;
    };
    struct Tail {
        Value* value;
        char* at;
    };

    Value* find(const char* name) const {
        for (int i = 0; i < num_values_; i++) {
            if (std::strcmp(values_[i].name, name) == 0) {
                return &values_[i];
            }
        }
        return nullptr;
    }
    Value& require(const char* name) {
        Value* const value = find(name);
        if (!value) {
            std::fprintf(stderr, "the launcher: the case has no %s\n", name);
            std::abort();
        }
        return *value;
    }
    [[noreturn]] static void abort(const char* why) {
        std::fprintf(stderr, "the launcher: %s\n", why);
        std::abort();
    }
    int mode() const {
        const Value* const value = find("buffers");
        return value ? static_cast<int>(value->integer) : freed;
    }
    // A new buffer, or the one at the same place in the call before: its address stays the same.
    Buffer& buffer_of(const Value& value) {
        if (mode() != used_again) {
            return device_.buffers.emplace_back(value.num_bytes, value.integer);
        }
        if (former_.buffers.empty() || former_.buffers.front().size() != value.num_bytes) {
            abort("the call before had other buffers");
        }
        device_.buffers.splice(device_.buffers.end(), former_.buffers, former_.buffers.begin());
        return device_.buffers.back();
    }
    Buffer& given(const Value& value, bool is_kept) {
        Buffer& buffer = buffer_of(value);
        buffer.write(value.data);
        if (is_kept) {
            inputs_.push_back({const_cast<Value*>(&value), &buffer});
        }
        return buffer;
    }
    char* made(const char* name, int byte) {
        Value* const value = find(name);
        if (!value) {
            return nullptr;
        }
        Buffer& buffer = buffer_of(*value);
        // New device memory already has the poison; writing it would mark the bytes as written.
        if (byte != Buffer::poison || mode() == used_again) {
            buffer.fill(byte);
        }
        results_.push_back({value, &buffer});
        return buffer.data();
    }

    const char* operation_;
    Value* values_;
    int num_values_;
    Device device_, former_;
    std::vector<Held> inputs_, results_;
    std::vector<Tail> tails_;
};

}  // namespace judge

void launch(judge::Call& call);

extern "C" void judge_launch(const char* operation, judge::Value* values, int num_values) {
    judge::Call call(operation, values, num_values);
    launch(call);
}
