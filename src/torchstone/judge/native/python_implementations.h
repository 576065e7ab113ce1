// Python implementations of operators, for extensions. torch itself calls them for meta tensors,
// which hold no values; on tensors with values they would compute a banned operator from allowed
// ones. An extension is examined on meta tensors, and as native code it reaches more than these
// functions anyway. A submission in Python may call none of them.
#pragma once

#include "report.h"

#include <torch/csrc/autograd/python_variable.h>

#include <string>
#include <vector>

namespace torchstone {

struct PythonImplementation {
  std::string name;
  PyObject*
      original;  // out of the collector's lists, so that gc.get_objects() does not hand it out
};

inline std::vector<PythonImplementation>& implementations() {
  static auto* all = new std::vector<PythonImplementation>();
  return *all;
}

inline thread_local int implementation_depth = 0;

struct Arguments {
  int num_meta = 0;
  int num_real = 0;

  void count(PyObject* value) {
    if (THPVariable_Check(value)) {
      // A subclass decides for itself what it computes.
      const bool plain = THPVariable_CheckExact(value);
      ++(plain && THPVariable_Unpack(value).is_meta() ? num_meta : num_real);
    } else if (PyTuple_Check(value) || PyList_Check(value)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
        count(PySequence_Fast_GET_ITEM(value, i));
    } else if (PyDict_Check(value)) {
      PyObject *key = nullptr, *item = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) count(item);
    }
  }
};

inline PyObject* call_implementation(size_t index, PyObject* args, PyObject* kwargs) {
  const PythonImplementation& implementation = implementations().at(index);
  // A process without a job, the reference above all, may compute what it likes.
  if (!guard().armed) return PyObject_Call(implementation.original, args, kwargs);
  Arguments arguments;
  arguments.count(args);
  arguments.count(kwargs);
  // Functions that an implementation calls may take shapes alone.
  if (arguments.num_real > 0 || (arguments.num_meta == 0 && implementation_depth == 0))
    fail_stop(implementation.name.c_str());
  ++implementation_depth;
  PyObject* result = PyObject_Call(implementation.original, args, kwargs);
  --implementation_depth;
  return result;
}

}  // namespace torchstone
