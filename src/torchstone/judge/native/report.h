// Fail-stop: say what was called, then end the process. Nothing here can be caught, and nothing is
// undone.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace torchstone {

// The exit status that means "a ban fired" even if the submission closed or redirected the report
// descriptor.
constexpr int kExitForbidden = 86;

// What decides whether a ban holds. It fills pages of its own, at an address that no pointer in
// writable memory names, and `seal_guard` makes them read-only: who writes to a number that happens
// to be an address of it ends the process.
struct alignas(1 << 16) Guard {
  int report_fd = -1;
  std::array<char, 256> submission_file{};
  pthread_t main_thread{};
  bool armed = false;
  bool recording_is_banned = false;
  std::atomic<bool> recording_forbidden{false};
  // Code objects that may loosen a ban, sorted once armed. Strong references are held, so an
  // address is never reused.
  size_t num_trusted = 0;
  std::array<const void*, 4096> trusted_codes{};

  void trust(const void* code) {
    if (num_trusted == trusted_codes.size()) throw std::length_error("too many trusted functions");
    const auto end = trusted_codes.begin() + num_trusted++;
    if (!armed) {
      *end = code;
      return;
    }
    // A problem's probe adds a hundred functions in each job: sorting for each takes a millisecond.
    const auto place = std::upper_bound(trusted_codes.begin(), end, code);
    std::copy_backward(place, end, end + 1);
    *place = code;
  }

  void sort() { std::sort(trusted_codes.begin(), trusted_codes.begin() + num_trusted); }

  bool trusts(const void* code) const {
    return std::binary_search(trusted_codes.begin(), trusted_codes.begin() + num_trusted, code);
  }

  bool is_submission(const char* file) const {
    return file != nullptr && std::string_view(file) == submission_file.data();
  }
};

inline Guard& guard() {
  static Guard instance;
  return instance;
}

// From now on the guard cannot be written, and where the kernel can (Linux 6.10), its protection
// cannot be changed either.
inline void seal_guard() {
  if (::mprotect(&guard(), sizeof(Guard), PROT_READ) != 0) {
    throw std::runtime_error("the state of the bans cannot be made read-only");
  }
#ifdef __x86_64__
  constexpr long kSealMapping = 462;
  ::syscall(kSealMapping, &guard(), sizeof(Guard), 0);
#elif defined(SYS_mseal)
  ::syscall(SYS_mseal, &guard(), sizeof(Guard), 0);
#endif
}

// A JSON line in a fixed buffer: no allocation, so it may be built in any thread at any moment.
class Line {
 public:
  void text(const char* s) {
    for (; *s != '\0'; ++s) put(*s);
  }

  // The names written here are identifiers and operator names; whatever JSON would need escaped
  // becomes '?'.
  void name(const char* s) {
    for (; *s != '\0'; ++s) {
      const auto c = static_cast<unsigned char>(*s);
      put(c < 0x20 || c >= 0x7f || c == '"' || c == '\\' ? '?' : *s);
    }
  }

  void number(int n) {
    char digits[12];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + n % 10);
      n /= 10;
    } while (n > 0);
    while (count > 0) put(digits[--count]);
  }

  void send(int fd) {
    buffer_[length_++] = '\n';
    size_t sent = 0;
    while (sent < length_) {
      const ssize_t n = ::write(fd, buffer_ + sent, length_ - sent);
      if (n > 0) {
        sent += static_cast<size_t>(n);
      } else if (errno != EINTR) {
        return;  // The descriptor is gone; the exit status still tells.
      }
    }
  }

 private:
  void put(char c) {
    if (length_ < sizeof(buffer_) - 64) buffer_[length_++] = c;
  }

  char buffer_[512];
  size_t length_ = 0;
};

// The innermost frame of the submission in this thread, as a second line. Needs the GIL.
inline void send_location() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (guard().is_submission(file)) {
      const char* function = PyUnicode_AsUTF8(code->co_name);
      Line line;
      line.text("{\"line\":");
      const int number = PyFrame_GetLineNumber(frame);
      line.number(number > 0 ? number : 0);
      line.text(",\"function\":\"");
      line.name(function != nullptr ? function : "?");
      line.text("\"}");
      line.send(guard().report_fd);
      return;
    }
    PyErr_Clear();
    frame = PyFrame_GetBack(frame);
  }
}

// The first line goes out before anything that could block: a thread that hoards the GIL can delay
// the location and the exit, not the verdict.
[[noreturn]] inline void fail_stop(const char* name, const char* overload = "") {
  Line line;
  line.text("{\"code\":\"FORBIDDEN_OP\",\"operator\":\"");
  line.name(name);
  if (*overload != '\0') {
    line.text(".");
    line.name(overload);
  }
  line.text("\"}");
  line.send(guard().report_fd);
  if (!PyGILState_Check()) PyGILState_Ensure();
  send_location();
  ::_exit(kExitForbidden);
}

// A ban may be loosened only from the main thread and only while every Python frame belongs to code
// that was trusted before the submission was read. The submission can reach the function; it cannot
// leave the stack.
inline bool caller_is_trusted() {
  if (!guard().armed) return true;
  if (!pthread_equal(guard().main_thread, pthread_self())) return false;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool trusted = guard().trusts(code);
    Py_DECREF(code);
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
    if (!trusted) {
      Py_XDECREF(frame);
      return false;
    }
  }
  return true;
}

inline void require_trust(const char* what) {
  if (!caller_is_trusted()) fail_stop(what);
}

}  // namespace torchstone
