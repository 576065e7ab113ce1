// The audit hook: events of the interpreter that end the process. It cannot be taken off.
#pragma once

#include <climits>
#include <cstdlib>

#include <array>
#include <string>
#include <vector>

#include "report.h"

namespace torchstone {

struct Policy {
  // Refused events, by first letter: most events are settled by looking at one character.
  std::array<std::vector<std::string>, 128> events;
  std::vector<std::string>
      modules;                     // import of these, or below these, is refused to the submission
  std::vector<std::string> paths;  // opening a file below these is refused to everybody
  std::vector<std::string>
      trusted_sources;  // files below these may import denied modules: torch does so lazily
  std::vector<std::string>
      extensions;  // unless empty: of shared libraries, these modules alone are loaded
};

inline bool is_below(const std::string& prefix, const char* text, char separator) {
  if (std::strncmp(text, prefix.c_str(), prefix.size()) != 0) return false;
  const char next = text[prefix.size()];
  return next == '\0' || next == separator;
}

inline bool starts_with_any(const std::vector<std::string>& prefixes, const char* text) {
  for (const auto& prefix : prefixes) {
    if (std::strncmp(text, prefix.c_str(), prefix.size()) == 0) return true;
  }
  return false;
}

inline const char* text_argument(PyObject* args, Py_ssize_t index) {
  if (PyTuple_GET_SIZE(args) <= index) return nullptr;
  PyObject* item = PyTuple_GET_ITEM(args, index);
  const char* text = nullptr;
  if (PyUnicode_Check(item)) {
    text = PyUnicode_AsUTF8(item);
  } else if (PyBytes_Check(item)) {
    text = PyBytes_AS_STRING(item);
  }
  PyErr_Clear();
  return text;
}

// The event comes before importlib runs, so the innermost frame is the one that holds the import
// statement.
inline bool importer_is_trusted(const Policy& policy) {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return true;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  const bool trusted = file != nullptr && !guard().is_submission(file) &&
                       starts_with_any(policy.trusted_sources, file);
  PyErr_Clear();
  Py_DECREF(code);
  Py_DECREF(frame);
  return trusted;
}

inline void check_import(const Policy& policy, PyObject* args) {
  const char* module = text_argument(args, 0);
  if (module == nullptr) return;
  // A second argument is the file of a shared library; whoever asks for it, Python's own code loads
  // it.
  if (text_argument(args, 1) != nullptr && !policy.extensions.empty() &&
      std::find(policy.extensions.begin(), policy.extensions.end(), module) ==
          policy.extensions.end()) {
    fail_stop((std::string("import ") + module).c_str());
  }
  for (const auto& denied : policy.modules) {
    if (is_below(denied, module, '.') && !importer_is_trusted(policy)) {
      fail_stop((std::string("import ") + module).c_str());
    }
  }
}

// The path is compared as the kernel would resolve it. What os.open(..., dir_fd=...) names stays
// unknown here; the sandbox lays empty files over these folders as well.
inline void check_open(const Policy& policy, PyObject* args) {
  const char* path = text_argument(args, 0);
  if (path == nullptr) return;
  char resolved[PATH_MAX];
  if (::realpath(path, resolved) == nullptr) return;
  for (const auto& hidden : policy.paths) {
    if (is_below(hidden, resolved, '/')) fail_stop((std::string("open ") + resolved).c_str());
  }
}

// Assigning __code__ would let the submission put one trusted function in the place of another.
inline void check_setattr(PyObject* args) {
  const char* attribute = text_argument(args, 1);
  if (attribute != nullptr && std::strcmp(attribute, "__code__") == 0)
    fail_stop("function.__code__");
}

inline int audit(const char* event, PyObject* args, void* user_data) {
  const auto& policy = *static_cast<const Policy*>(user_data);
  const auto first = static_cast<unsigned char>(event[0]) & 0x7f;
  for (const auto& refused : policy.events[first]) {
    if (is_below(refused, event, '.')) fail_stop(event);
  }
  if (std::strcmp(event, "import") == 0) {
    check_import(policy, args);
  } else if (std::strcmp(event, "open") == 0) {
    check_open(policy, args);
  } else if (std::strcmp(event, "object.__setattr__") == 0) {
    check_setattr(args);
  }
  return 0;
}

}  // namespace torchstone
