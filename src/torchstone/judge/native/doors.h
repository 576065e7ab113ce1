// Doors that Python leaves open: objects already in the process that hand out raw memory or run
// code of their own. A door is closed in the object itself, so that every alias of it is closed
// too.
#pragma once

#include <string>
#include <utility>

#include "report.h"

namespace torchstone {

inline PyObject* closed_function(PyObject* self, PyObject* /*unused*/) {
  const char* name = PyUnicode_AsUTF8(self);
  fail_stop(name != nullptr ? name : "a closed function");
}

// A method's self is the object it is called on, so name and original have to come from the address
// of the trap.
constexpr size_t kMaxMethods = 64;
struct MethodSlot {
  std::string name;
  PyCFunctionWithKeywords original = nullptr;  // null: closed to everybody
};
inline MethodSlot (&method_slots()) [kMaxMethods] {
  static MethodSlot slots[kMaxMethods];
  return slots;
}

template <size_t index>
PyObject* method_trap(PyObject* self, PyObject* args, PyObject* kwargs) {
  const auto& slot = method_slots()[index];
  if (slot.original == nullptr || !caller_is_trusted()) fail_stop(slot.name.c_str());
  return slot.original(self, args, kwargs);
}

template <size_t... indices>
PyCFunction method_trap_at(size_t index, std::index_sequence<indices...> /*unused*/) {
  static constexpr PyCFunctionWithKeywords traps[] = {&method_trap<indices>...};
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

inline bool trap_method(PyMethodDef** entry, PyObject* name, bool keep_original) {
  static size_t used = 0;
  if (used == kMaxMethods) return false;
  auto& slot = method_slots()[used];
  slot.name = PyUnicode_AsUTF8(name);
  if (keep_original) {
    slot.original =
        reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>((*entry)->ml_meth));
  }
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
  if (!PyObject_TypeCheck(callable, &PyCFunction_Type)) return trap_method(entry, name, false);
  auto* function = reinterpret_cast<PyCFunctionObject*>(callable);
  function->m_ml = redirected(function->m_ml, &closed_function);
  function->m_self = Py_NewRef(name);
  return true;
}

// Keep a function for the driver: it works while only trusted code is on the stack.
inline bool guard_callable(PyObject* callable, PyObject* name) {
  PyMethodDef** entry = method_entry(callable);
  constexpr int kConvention = METH_VARARGS | METH_KEYWORDS;
  if (entry == nullptr || ((*entry)->ml_flags & kConvention) != kConvention) return false;
  return trap_method(entry, name, true);
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
