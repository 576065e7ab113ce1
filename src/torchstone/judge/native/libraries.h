// Registrations of an extension in C++: it may add operators to a namespace of its own, and put
// nothing into anybody else's, where it could take the place of an operator or of a ban. Extensions
// are linked so that what the headers of torch call arrives here (--wrap).
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <string>

#include "report.h"

namespace torchstone {

// Empty: none, so that an extension can register nothing.
inline std::string& own_namespace() {
  static std::string name;
  return name;
}

inline void require_own(const char* name) {
  if (name == nullptr || own_namespace() != name) {
    const std::string other = name != nullptr ? name : "_";
    fail_stop(("STABLE_TORCH_LIBRARY(" + other + ")").c_str());
  }
}

}  // namespace torchstone

extern "C" {

__attribute__((visibility("default"))) AOTITorchError __wrap_aoti_torch_library_init_impl(
    const char* name, const char* key, const char* file, uint32_t line, TorchLibraryHandle* made) {
  torchstone::require_own(name);
  return aoti_torch_library_init_impl(name, key, file, line, made);
}

__attribute__((visibility("default"))) AOTITorchError __wrap_aoti_torch_library_init_def(
    const char* name, const char* file, uint32_t line, TorchLibraryHandle* made) {
  torchstone::require_own(name);
  return aoti_torch_library_init_def(name, file, line, made);
}

__attribute__((visibility("default"))) AOTITorchError __wrap_aoti_torch_library_init_fragment(
    const char* name, const char* file, uint32_t line, TorchLibraryHandle* made) {
  torchstone::require_own(name);
  return aoti_torch_library_init_fragment(name, file, line, made);
}

}  // extern "C"
