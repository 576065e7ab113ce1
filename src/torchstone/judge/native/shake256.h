// SHAKE256, FIPS 202: the sponge of `hashlib.shake_256`, so that both sides compute the same bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace torchstone {

class Shake256 {
 public:
  void absorb(std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) {
      add(byte);
      if (at_ == kRate) permute();
    }
  }

  // No more is absorbed from here on.
  void finish() {
    add(0x1f);
    at_ = kRate - 1;
    add(0x80);
    permute();
  }

  uint8_t next() {
    if (at_ == kRate) permute();
    const auto byte = static_cast<uint8_t>(lanes_[at_ / 8] >> (at_ % 8 * 8));
    ++at_;
    return byte;
  }

 private:
  static constexpr size_t kRate = 136;

  void add(uint8_t byte) {
    lanes_[at_ / 8] ^= static_cast<uint64_t>(byte) << (at_ % 8 * 8);
    ++at_;
  }

  // Keccak-f[1600], FIPS 202 section 3.2; lane (x, y) is number x + 5 y.
  void permute() {
    static constexpr std::array<int, 24> kRotations = {1,  3,  6,  10, 15, 21, 28, 36,
                                                       45, 55, 2,  14, 27, 41, 56, 8,
                                                       25, 43, 62, 18, 39, 61, 20, 44};
    static constexpr std::array<size_t, 24> kTargets = {10, 7,  11, 17, 18, 3,  5,  16,
                                                        8,  21, 24, 4,  15, 23, 19, 13,
                                                        12, 2,  20, 14, 22, 9,  6,  1};
    uint8_t shift_register = 1;
    for (int round = 0; round < 24; ++round) {
      std::array<uint64_t, 5> columns{};
      for (size_t i = 0; i < 25; ++i) columns[i % 5] ^= lanes_[i];  // theta
      for (size_t i = 0; i < 25; ++i) {
        lanes_[i] ^= columns[(i + 4) % 5] ^ std::rotl(columns[(i + 1) % 5], 1);
      }
      uint64_t moved = lanes_[1];  // rho and pi
      for (size_t i = 0; i < 24; ++i) {
        const uint64_t kept = lanes_[kTargets[i]];
        lanes_[kTargets[i]] = std::rotl(moved, kRotations[i]);
        moved = kept;
      }
      for (size_t y = 0; y < 25; y += 5) {  // chi
        std::array<uint64_t, 5> row{};
        for (size_t x = 0; x < 5; ++x) row[x] = lanes_[y + x];
        for (size_t x = 0; x < 5; ++x) lanes_[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
      }
      for (int j = 0; j < 7; ++j) {  // iota, its constants from a shift register
        if ((shift_register & 1) != 0) lanes_[0] ^= uint64_t{1} << ((1 << j) - 1);
        const bool carry = (shift_register & 0x80) != 0;
        shift_register = static_cast<uint8_t>(shift_register << 1);
        if (carry) shift_register ^= 0x71;
      }
    }
    at_ = 0;
  }

  std::array<uint64_t, 25> lanes_{};
  size_t at_ = 0;
};

}  // namespace torchstone
