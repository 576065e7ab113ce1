// Data of a request that Python never holds in the clear: child/protocol/encryption.py encrypts it where the
// case is made, and what is below decrypts it in the job.
//
// A message is a nonce, a tag and the text. The text is combined with the stream SHAKE256("text" +
// key + nonce); the tag is SHAKE256("tag" + key + nonce + encrypted text).
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "shake256.h"

namespace torchstone {

constexpr size_t kKeyBytes = 32;
constexpr size_t kNonceBytes = 16;
constexpr size_t kTagBytes = 16;

using Bytes = std::span<const uint8_t>;

struct JobKey {
  bool is_set = false;
  std::array<uint8_t, kKeyBytes> bytes{};
};

inline JobKey& job_key() {
  static JobKey instance;
  return instance;
}

// Reads the key of this job, which comes before the first frame. The bytes are no object of Python.
inline bool read_job_key(int fd) {
  if (job_key().is_set) throw std::logic_error("the job has its key");
  size_t got = 0;
  while (got < kKeyBytes) {
    const ssize_t n = ::read(fd, job_key().bytes.data() + got, kKeyBytes - got);
    if (n == 0) return false;
    if (n > 0) {
      got += static_cast<size_t>(n);
    } else if (errno != EINTR) {
      throw std::runtime_error(std::string("the job's key cannot be read: ") + std::strerror(errno));
    }
  }
  job_key().is_set = true;
  return true;
}

inline Shake256 keyed(const char* purpose, Bytes nonce) {
  Shake256 stream;
  stream.absorb({reinterpret_cast<const uint8_t*>(purpose), std::strlen(purpose)});
  stream.absorb(job_key().bytes);
  stream.absorb(nonce);
  return stream;
}

inline std::vector<uint8_t> decrypt(Bytes message) {
  if (!job_key().is_set) throw std::logic_error("this process has no key");
  if (message.size() < kNonceBytes + kTagBytes) throw std::invalid_argument("a message is too short");
  const Bytes nonce = message.first(kNonceBytes);
  const Bytes tag = message.subspan(kNonceBytes, kTagBytes);
  const Bytes text = message.subspan(kNonceBytes + kTagBytes);
  Shake256 check = keyed("tag", nonce);
  check.absorb(text);
  check.finish();
  uint8_t difference = 0;
  for (const uint8_t byte : tag) difference |= static_cast<uint8_t>(byte ^ check.next());
  if (difference != 0) throw std::invalid_argument("a message was changed");
  Shake256 stream = keyed("text", nonce);
  stream.finish();
  std::vector<uint8_t> plain(text.begin(), text.end());
  for (uint8_t& byte : plain) byte ^= stream.next();
  return plain;
}

}  // namespace torchstone
