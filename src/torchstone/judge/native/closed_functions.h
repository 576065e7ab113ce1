// Closed functions: objects already in the process that hand out raw memory or run code of their
// own end the process when they are called. A function is closed in the object itself, so that
// every alias of it is closed too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/Storage.h>

#include "report.h"

namespace torchstone {

inline PyObject* closed_function(PyObject* self, PyObject* /*unused*/) {
  const char* name = PyUnicode_AsUTF8(self);
  fail_stop(name != nullptr ? name : "a closed function");
}

// Every calling convention has at most four arguments, all in registers: more than a C function reads
// are harmless.
using AnyMethod = PyObject* (*)(PyObject*, PyObject*, PyObject*, PyObject*);

// A method's self is the object it is called on, so name and original have to come from the address
// of the trap.
constexpr size_t kMaxMethods = 64;
enum class Opens {
  kNever,
  kToTrusted,    // while only trusted code is on the stack
  kToConstants,  // where every argument is None, a bool or a number
  kToRecords,    // where an object is written that has all the bytes
};
struct MethodSlot {
  std::string name;
  Opens opens = Opens::kNever;
  bool is_fast = false;  // METH_FASTCALL
  AnyMethod original = nullptr;
};
inline MethodSlot (&method_slots()) [kMaxMethods] {
  static MethodSlot slots[kMaxMethods];
  return slots;
}

inline bool is_constant(PyObject* argument) {
  if (!PyTuple_CheckExact(argument)) {
    return argument == Py_None || PyBool_Check(argument) || PyLong_CheckExact(argument);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(argument); ++i) {
    if (!is_constant(PyTuple_GET_ITEM(argument, i))) return false;
  }
  return true;
}

// The arguments (self, name, data, size) of torch's writer of archives. A number for the data is an
// address, and a size beyond the end reads what lies behind.
inline bool is_record(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  if (keywords != nullptr || count != 4 || !PyLong_CheckExact(args[3])) return false;
  PyObject* data = args[2];
  const size_t size = PyLong_AsSize_t(args[3]);
  Py_ssize_t held = -1;
  if (PyBytes_CheckExact(data)) {
    held = PyBytes_GET_SIZE(data);
  } else if (PyUnicode_CheckExact(data)) {
    PyUnicode_AsUTF8AndSize(data, &held);
  } else if (PyType_IsSubtype(Py_TYPE(data), THPStorageClass)) {
    held = static_cast<Py_ssize_t>(THPStorage_Unpack(data).nbytes());
  }
  const bool is_known = PyErr_Occurred() == nullptr && held >= 0;
  PyErr_Clear();
  return is_known && size <= static_cast<size_t>(held);
}

// pybind11 takes a tuple and a dictionary, or since 3.0 an array, its length and a tuple of names.
inline bool is_record(const MethodSlot& slot, PyObject* args, PyObject* more, PyObject* names) {
  if (slot.is_fast) {
    const auto count = reinterpret_cast<Py_ssize_t>(more);
    return is_record(reinterpret_cast<PyObject* const*>(args), count, names);
  }
  if (!PyTuple_CheckExact(args)) return false;
  return is_record(PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args), more);
}

template <size_t index>
PyObject* method_trap(PyObject* self, PyObject* args, PyObject* more, PyObject* names) {
  const auto& slot = method_slots()[index];
  const bool is_open = slot.opens == Opens::kToTrusted     ? caller_is_trusted()
                       : slot.opens == Opens::kToConstants ? is_constant(args)
                       : slot.opens == Opens::kToRecords   ? is_record(slot, args, more, names)
                                                           : false;
  if (!is_open) fail_stop(slot.name.c_str());
  return slot.original(self, args, more, names);
}

template <size_t... indices>
PyCFunction method_trap_at(size_t index, std::index_sequence<indices...> /*unused*/) {
  static constexpr AnyMethod traps[] = {&method_trap<indices>...};
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(traps[index]));
}

// A copy of a method table entry with another address. The flags stay: the calling convention was
// chosen from them when the object was made. Every convention passes `self` first, and more
// arguments than a C function reads are harmless.
inline PyMethodDef* redirected(const PyMethodDef* original, PyCFunction target) {
  auto* copy = new PyMethodDef(*original);
  copy->ml_meth = target;
  copy->ml_flags &= ~METH_STATIC;  // with it, `self` would arrive as null
  return copy;
}

inline bool trap_method(PyMethodDef** entry, PyObject* name, Opens opens) {
  static size_t used = 0;
  if (used == kMaxMethods) return false;
  auto& slot = method_slots()[used];
  slot.name = PyUnicode_AsUTF8(name);
  slot.opens = opens;
  slot.is_fast = ((*entry)->ml_flags & METH_FASTCALL) != 0;
  slot.original = reinterpret_cast<AnyMethod>(reinterpret_cast<void*>((*entry)->ml_meth));
  *entry = redirected(*entry, method_trap_at(used, std::make_index_sequence<kMaxMethods>()));
  ++used;
  return true;
}

inline PyMethodDef** method_entry(PyObject* callable) {
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type) || Py_IS_TYPE(callable, &PyClassMethodDescr_Type)) {
    return &reinterpret_cast<PyMethodDescrObject*>(callable)->d_method;
  }
  if (PyObject_TypeCheck(callable, &PyCFunction_Type)) {
    return &reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
  }
  return nullptr;
}

// Close a builtin function or a method descriptor. False: the object is neither.
inline bool close_callable(PyObject* callable, PyObject* name) {
  PyMethodDef** entry = method_entry(callable);
  if (entry == nullptr) return false;
  if (!PyObject_TypeCheck(callable, &PyCFunction_Type)) return trap_method(entry, name, Opens::kNever);
  auto* function = reinterpret_cast<PyCFunctionObject*>(callable);
  function->m_ml = redirected(function->m_ml, &closed_function);
  function->m_self = Py_NewRef(name);
  return true;
}

// Keep a function for the driver: it works while only trusted code is on the stack.
inline bool guard_callable(PyObject* callable, PyObject* name) {
  PyMethodDef** entry = method_entry(callable);
  return entry != nullptr && trap_method(entry, name, Opens::kToTrusted);
}

// Keep a function without keywords for those who pass constants.
inline bool open_to_constants(PyObject* callable, PyObject* name) {
  PyMethodDef** entry = method_entry(callable);
  const int convention = entry == nullptr ? 0 : (*entry)->ml_flags & ~METH_STATIC;
  if (convention != METH_O && convention != METH_VARARGS) return false;
  return trap_method(entry, name, Opens::kToConstants);
}

// Keep the method of pybind11 that writes a record for those who pass an object and no address.
inline bool open_to_records(PyObject* callable, PyObject* name) {
  PyMethodDef** entry = method_entry(callable);
  const int convention = entry == nullptr ? 0 : (*entry)->ml_flags & ~METH_STATIC;
  if (convention != (METH_VARARGS | METH_KEYWORDS) &&
      convention != (METH_FASTCALL | METH_KEYWORDS)) {
    return false;
  }
  return trap_method(entry, name, Opens::kToRecords);
}

// Functions in Python with the code that is to take the place of theirs. They are kept here before
// any fork, with a reference to each: to exchange a pointer then touches the function and nothing
// else. An assignment to `__code__` would free the old code, and copy the pages of all of it.
struct Exchange {
  PyFunctionObject* function;
  PyObject* code;
};

inline std::vector<Exchange>& exchanges() {
  static auto* all = new std::vector<Exchange>();
  return *all;
}

inline void exchange_codes(size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    auto& [function, code] = exchanges().at(i);
    // What the interpreter has specialised for the old code, it looks up by this number.
    function->func_version = 0;
    std::swap(function->func_code, code);
  }
}

inline PyObject* closed_new(PyTypeObject* type, PyObject* /*args*/, PyObject* /*kwargs*/) {
  fail_stop(type->tp_name);
}

inline PyObject* closed_call(PyObject* self, PyObject* /*args*/, PyObject* /*kwargs*/) {
  fail_stop(Py_TYPE(self)->tp_name);
}

// Close a type: no new instance, and (with `calls`) no call of an instance, neither by slot nor by
// `__call__`.
inline void close_type(PyTypeObject* type, bool calls) {
  type->tp_new = &closed_new;
  type->tp_vectorcall = nullptr;
  if (!calls || type->tp_call == nullptr) return;
  type->tp_call = &closed_call;
  type->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL;
  PyObject* wrapper = PyDict_GetItemString(type->tp_dict, "__call__");
  if (wrapper != nullptr && Py_IS_TYPE(wrapper, &PyWrapperDescr_Type)) {
    reinterpret_cast<PyWrapperDescrObject*>(wrapper)->d_wrapped =
        reinterpret_cast<void*>(&closed_call);
  }
  PyType_Modified(type);
}

}  // namespace torchstone
