// The Python module `torchstone_bans`: what child/bans/bans.py arms in a job before the submission is
// read.
//
// Deliberately not torch/extension.h: the dispatcher's headers and the C API suffice, and compile
// in seconds.
#include "arguments.h"
#include "audit.h"
#include "closed_functions.h"
#include "libraries.h"
#include "meta.h"
#include "opaque_function.h"
#include "operators.h"
#include "python_implementations.h"

namespace torchstone {
namespace {

// torch warns once when a kernel is replaced; here that is the purpose.
class Silence final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& /*warning*/) override {}
};

bool read_strings(PyObject* list, std::vector<std::string>& out) {
  PyObject* items = PySequence_Fast(list, "a list of str was expected");
  if (items == nullptr) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    const char* text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(items, i));
    if (text == nullptr) {
      Py_DECREF(items);
      return false;
    }
    out.emplace_back(text);
  }
  Py_DECREF(items);
  return true;
}

// Run something that may throw a C++ exception; these are faults of ours, so they surface as
// RuntimeError.
template <class Body>
PyObject* guarded(const Body& body) {
  try {
    Silence silence;
    c10::WarningUtils::WarningHandlerGuard quiet(&silence);
    return body();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

PyObject* trust(PyObject* /*self*/, PyObject* code) {
  require_trust("torchstone_bans.trust");
  return guarded([&]() -> PyObject* {
    guard().trust(Py_NewRef(code));
    Py_RETURN_NONE;
  });
}

PyObject* arm(PyObject* /*self*/, PyObject* args) {
  int fd = -1;
  const char* file = nullptr;
  if (!PyArg_ParseTuple(args, "is:arm", &fd, &file)) return nullptr;
  if (guard().armed) fail_stop("torchstone_bans.arm");
  for (PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get()); frame != nullptr;
       frame = PyFrame_GetBack(frame)) {
    guard().trust(PyFrame_GetCode(frame));
  }
  guard().report_fd = fd;
  std::strncpy(guard().submission_file.data(), file, guard().submission_file.size() - 1);
  guard().main_thread = pthread_self();
  guard().sort();
  guard().armed = true;
  Py_RETURN_NONE;
}

PyObject* stop(PyObject* /*self*/, PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  fail_stop(text != nullptr ? text : "?");
}

PyObject* permit_namespace(PyObject* /*self*/, PyObject* args) {
  int fd = -1;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "is:permit_namespace", &fd, &name)) return nullptr;
  require_trust("torchstone_bans.permit_namespace");
  guard().report_fd = fd;
  own_namespace() = name;
  Py_RETURN_NONE;
}

PyObject* forbid(PyObject* /*self*/, PyObject* args) {
  PyObject* names = nullptr;
  int forward_only = 0;
  if (!PyArg_ParseTuple(args, "Op:forbid", &names, &forward_only)) return nullptr;
  std::vector<std::string> operators;
  if (!read_strings(names, operators)) return nullptr;
  return guarded([&] {
    const size_t before = registrations().size();
    for (const auto& name : operators) forbid_operator(find_operator(name), forward_only != 0);
    return PyLong_FromSize_t(registrations().size() - before);
  });
}

PyObject* watch(PyObject* /*self*/, PyObject* names) {
  require_trust("torchstone_bans.watch_operators");
  std::vector<std::string> operators;
  if (!read_strings(names, operators)) return nullptr;
  return guarded([&]() -> PyObject* {
    watch_operators(operators);
    Py_RETURN_NONE;
  });
}

PyObject* prepare(PyObject* /*self*/, PyObject* /*unused*/) {
  require_trust("torchstone_bans.prepare_recording");
  return guarded([] {
    install_shapes();
    install_views();
    check_arguments();
    return PyLong_FromSize_t(prepare_recording());
  });
}

PyObject* ban_recording(PyObject* /*self*/, PyObject* /*unused*/) {
  require_trust("torchstone_bans.ban_recording");
  guard().recording_is_banned = true;
  guard().recording_forbidden.store(true);
  watch_nodes();
  Py_RETURN_NONE;
}

PyObject* ban_autocast(PyObject* /*self*/, PyObject* /*unused*/) {
  return guarded([]() -> PyObject* {
    forbid_autocast();
    Py_RETURN_NONE;
  });
}

// A file may record while it is loaded, to check itself, and may call whatever its problem allows;
// afterwards the bans hold for good. One call, so that nothing a submission rebinds meanwhile, not
// even a local variable of the caller, stands between the end of the loading and the bans.
PyObject* load(PyObject* /*self*/, PyObject* args) {
  PyObject* work = nullptr;
  int bare = 0;
  if (!PyArg_ParseTuple(args, "Op:load", &work, &bare)) return nullptr;
  require_trust("torchstone_bans.load");
  guard().recording_forbidden.store(false);
  PyObject* result = PyObject_CallNoArgs(work);
  guard().recording_forbidden.store(guard().recording_is_banned);
  if (bare != 0) forbid_every_operator();
  return guarded([&] {
    seal_guard();
    return result;
  });
}

// Scoped here rather than by two calls: what wakes the bans again is then no name that a submission
// could rebind.
PyObject* while_lifted(PyObject* /*self*/, PyObject* work) {
  require_trust("torchstone_bans.while_lifted");
  lifted = true;
  PyObject* result = PyObject_CallNoArgs(work);
  lifted = false;
  return result;
}

PyObject* guard_method(PyObject* /*self*/, PyObject* args) {
  PyObject* callable = nullptr;
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "OU:guard", &callable, &name)) return nullptr;
  require_trust("torchstone_bans.guard");
  return PyBool_FromLong(guard_callable(callable, name));
}

PyObject* keep_for_constants(PyObject* /*self*/, PyObject* args) {
  PyObject* callable = nullptr;
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "OU:open_to_constants", &callable, &name)) return nullptr;
  require_trust("torchstone_bans.open_to_constants");
  return PyBool_FromLong(open_to_constants(callable, name));
}

PyObject* keep_for_records(PyObject* /*self*/, PyObject* args) {
  PyObject* callable = nullptr;
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "OU:open_to_records", &callable, &name)) return nullptr;
  require_trust("torchstone_bans.open_to_records");
  if (open_to_records(callable, name)) Py_RETURN_NONE;
  PyErr_Format(PyExc_ValueError, "%U has another calling convention", name);
  return nullptr;
}

PyObject* keep_implementation(PyObject* /*self*/, PyObject* args) {
  PyObject* original = nullptr;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "O!s:keep_implementation", &PyFunction_Type, &original, &name))
    return nullptr;
  require_trust("torchstone_bans.keep_implementation");
  PyObject_GC_UnTrack(original);
  implementations().push_back({name, Py_NewRef(original)});
  return PyLong_FromSize_t(implementations().size() - 1);
}

PyObject* call_kept(PyObject* /*self*/, PyObject* args) {
  Py_ssize_t index = 0;
  PyObject *positional = nullptr, *keywords = nullptr;
  if (!PyArg_ParseTuple(args, "nO!O!:call_implementation", &index, &PyTuple_Type, &positional,
                        &PyDict_Type, &keywords))
    return nullptr;
  return guarded(
      [&] { return call_implementation(static_cast<size_t>(index), positional, keywords); });
}

PyObject* keep_codes(PyObject* /*self*/, PyObject* pairs) {
  require_trust("torchstone_bans.keep_codes");
  PyObject* iterator = PyObject_GetIter(pairs);
  if (iterator == nullptr) return nullptr;
  while (PyObject* pair = PyIter_Next(iterator)) {
    PyObject *function = nullptr, *code = nullptr;
    if (PyArg_ParseTuple(pair, "O!O!:keep_codes", &PyFunction_Type, &function, &PyCode_Type,
                         &code)) {
      exchanges().push_back(
          {reinterpret_cast<PyFunctionObject*>(Py_NewRef(function)), Py_NewRef(code)});
    }
    Py_DECREF(pair);
    if (PyErr_Occurred()) break;
  }
  Py_DECREF(iterator);
  if (PyErr_Occurred()) return nullptr;
  return PyLong_FromSize_t(exchanges().size());
}

PyObject* exchange(PyObject* /*self*/, PyObject* args) {
  Py_ssize_t first = 0, last = 0;
  if (!PyArg_ParseTuple(args, "nn:exchange_codes", &first, &last)) return nullptr;
  require_trust("torchstone_bans.exchange_codes");
  return guarded([&]() -> PyObject* {
    exchange_codes(static_cast<size_t>(first), static_cast<size_t>(last));
    Py_RETURN_NONE;
  });
}

PyObject* close_many(PyObject* /*self*/, PyObject* builtins) {
  require_trust("torchstone_bans.close");
  PyObject* iterator = PyObject_GetIter(builtins);
  if (iterator == nullptr) return nullptr;
  while (PyObject* builtin = PyIter_Next(iterator)) {
    PyObject* callable = nullptr;
    PyObject* name = nullptr;
    const bool read = PyArg_ParseTuple(builtin, "OU:close", &callable, &name);
    if (read && !close_callable(callable, name)) {
      PyErr_Format(PyExc_ValueError, "%U is a %s, which cannot be closed", name,
                   Py_TYPE(callable)->tp_name);
    }
    Py_DECREF(builtin);
    if (PyErr_Occurred()) break;
  }
  Py_DECREF(iterator);
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* close_class(PyObject* /*self*/, PyObject* args) {
  PyTypeObject* type = nullptr;
  int calls = 1;
  if (!PyArg_ParseTuple(args, "O!|p:close_type", &PyType_Type, &type, &calls)) return nullptr;
  require_trust("torchstone_bans.close_type");
  close_type(type, calls != 0);
  Py_RETURN_NONE;
}

PyObject* take_key(PyObject* /*self*/, PyObject* number) {
  const long fd = PyLong_AsLong(number);
  if (fd == -1 && PyErr_Occurred()) return nullptr;
  require_trust("torchstone_bans.take_key");
  return guarded([&] { return PyBool_FromLong(read_job_key(static_cast<int>(fd))); });
}

PyObject* opaque_function(PyObject* /*self*/, PyObject* args) {
  Py_buffer packed;
  int is_encrypted = 1;
  if (!PyArg_ParseTuple(args, "y*p:opaque_function", &packed, &is_encrypted)) return nullptr;
  PyObject* made = guarded([&] {
    const Bytes bytes{static_cast<const uint8_t*>(packed.buf), static_cast<size_t>(packed.len)};
    if (is_encrypted == 0) return make_opaque_function(bytes);
    return make_opaque_function(decrypt(bytes));
  });
  PyBuffer_Release(&packed);
  return made;
}

PyObject* seal(PyObject* /*self*/, PyObject* args) {
  PyObject *events = nullptr, *modules = nullptr, *paths = nullptr, *sources = nullptr;
  PyObject* extensions = nullptr;
  if (!PyArg_ParseTuple(args, "OOOOO:seal", &events, &modules, &paths, &sources, &extensions)) {
    return nullptr;
  }
  require_trust("torchstone_bans.seal");
  static auto* policy = new Policy();
  std::vector<std::string> names;
  if (!read_strings(events, names) || !read_strings(modules, policy->modules) ||
      !read_strings(paths, policy->paths) || !read_strings(sources, policy->trusted_sources) ||
      !read_strings(extensions, policy->extensions)) {
    return nullptr;
  }
  for (auto& name : names) {
    const auto first = static_cast<unsigned char>(name[0]) & 0x7f;
    policy->events[first].push_back(std::move(name));
  }
  if (PySys_AddAuditHook(&audit, policy) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"trust", trust, METH_O, "Let a code object stand on the stack of a call that loosens a ban."},
    {"arm", arm, METH_VARARGS,
     "Say where reports go and what file name the submission's code has."},
    {"stop", stop, METH_O, "Report a name as forbidden and end the process."},
    {"permit_namespace", permit_namespace, METH_VARARGS,
     "Say where reports go and in which namespace an extension may register operators."},
    {"forbid", forbid, METH_VARARGS, "Ban operators; a forward-only ban sleeps while lifted."},
    {"watch_operators", watch, METH_O,
     "Let operators that autograd knows, and those named, dispatch what is banned forward-only."},
    {"prepare_recording", prepare, METH_NOARGS,
     "Put watched autograd kernels under the original ones."},
    {"ban_recording", ban_recording, METH_NOARGS,
     "Make the problem one that bans recording, from now on."},
    {"forbid_autocast", ban_autocast, METH_NOARGS, "Ban every kernel of autocast on the CPU."},
    {"load", load, METH_VARARGS,
     "Call with recording allowed, then ban it (and every operator, if told so) for good."},
    {"while_lifted", while_lifted, METH_O, "Call with the forward-only bans of this thread asleep."},
    {"close", close_many, METH_O,
     "Make builtin functions and methods, (object, name) each, fail-stop through every alias."},
    {"guard", guard_method, METH_VARARGS,
     "Make a method fail-stop unless only trusted code is on the stack."},
    {"open_to_constants", keep_for_constants, METH_VARARGS,
     "Make a function fail-stop unless its arguments are None, bools or numbers."},
    {"open_to_records", keep_for_records, METH_VARARGS,
     "Make the method that writes records fail-stop unless it writes an object that has the bytes."},
    {"keep_implementation", keep_implementation, METH_VARARGS,
     "Keep the original function of a Python implementation."},
    {"call_implementation", call_kept, METH_VARARGS,
     "Call a kept Python implementation if its tensors are meta tensors; fail-stop otherwise."},
    {"keep_codes", keep_codes, METH_O,
     "Keep functions in Python, each with the code that is to take the place of its own."},
    {"exchange_codes", exchange, METH_VARARGS,
     "Exchange the codes of the functions kept from one number to another."},
    {"close_type", close_class, METH_VARARGS,
     "Make a C type fail-stop when instantiated or called."},
    {"take_key", take_key, METH_O,
     "Read the job's key from a descriptor; False if it has ended."},
    {"opaque_function", opaque_function, METH_VARARGS,
     "Make a function whose coefficients cannot be read of bytes that are encrypted or not."},
    {"seal", seal, METH_VARARGS, "Install the audit hook."},
    {nullptr, nullptr, 0, nullptr},
};

constexpr char kFamilies[] =
#include "families.inc"
    ;

constexpr char kAllowed[] =
#include "allowed.inc"
    ;

constexpr char kModules[] =
#include "modules.inc"
    ;

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "torchstone_bans",
                       "Fail-stop bans.",
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace torchstone

PyMODINIT_FUNC PyInit_torchstone_bans() {
  PyObject* module = PyModule_Create(&torchstone::kModule);
  if (module != nullptr &&
      (PyModule_AddStringConstant(module, "families", torchstone::kFamilies) < 0 ||
       PyModule_AddStringConstant(module, "allowed", torchstone::kAllowed) < 0 ||
       PyModule_AddStringConstant(module, "modules", torchstone::kModules) < 0)) {
    Py_CLEAR(module);
  }
  return module;
}
