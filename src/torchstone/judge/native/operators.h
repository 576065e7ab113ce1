// Bans in the dispatcher: forbidden operators and forbidden recording.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/SavedTensorHooks.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/node.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <unordered_set>
#include <vector>

#include "report.h"

namespace torch::autograd {
// From torch/csrc/autograd/graph_task.h, which would draw in the whole engine.
TORCH_API int get_current_graph_task_id();
}  // namespace torch::autograd

namespace torchstone {

using c10::Dispatcher;
using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::KernelFunction;
using c10::OperatorHandle;
using c10::SafeKernelFunction;
using c10::Stack;

// Keys a tensor of this machine can be dispatched on. The table entry is replaced, wherever it came
// from.
constexpr DispatchKey kTensorKeys[] = {
    DispatchKey::CPU,
    DispatchKey::AutogradCPU,
    DispatchKey::Meta,
    DispatchKey::AutogradMeta,
    DispatchKey::MkldnnCPU,
    DispatchKey::AutogradOther,
    DispatchKey::SparseCPU,
    DispatchKey::SparseCsrCPU,
    DispatchKey::QuantizedCPU,
    DispatchKey::NestedTensorCPU,
    DispatchKey::AutogradNestedTensor,
};

// Of this thread only: a thread the submission left running gains nothing while the driver
// differentiates.
inline thread_local bool lifted = false;

// How often this thread has entered Python from C++ and not left it: every deleter, hook and mode
// that runs Python takes the lock by a call that counts.
inline int num_entries_of_python() {
  const PyThreadState* state = PyGILState_GetThisThreadState();
  return state == nullptr ? 0 : state->gilstate_counter;
}

// The innermost operator of this thread whose own C++ may dispatch what is banned forward-only.
inline thread_local int entries_at_operator = -1;

inline std::vector<c10::RegistrationHandleRAII>& registrations() {
  // Leaked on purpose: a static destructor would take the bans off while the interpreter is still
  // closing.
  static auto* handles = new std::vector<c10::RegistrationHandleRAII>();
  return *handles;
}

inline void install(const OperatorHandle& op, DispatchKey key, KernelFunction kernel) {
  registrations().push_back(Dispatcher::singleton().registerImpl(
      op.operator_name(), key, std::move(kernel), std::nullopt, nullptr, "torchstone"));
}

[[noreturn]] inline void stop_at(const OperatorHandle& op) {
  fail_stop(op.operator_name().name.c_str(), op.operator_name().overload_name.c_str());
}

inline void forbidden_kernel(const OperatorHandle& op, DispatchKeySet /*ks*/, Stack* /*stack*/) {
  stop_at(op);
}

// While an allowed operator runs, what its own C++ dispatches is no choice of the submission:
// masked_fill and matmul expand their arguments. What Python does meanwhile (a finaliser, a hook, a
// mode) is.
inline bool is_inside_operator() {
  return entries_at_operator >= 0 && entries_at_operator == num_entries_of_python();
}

// Lifted by the driver, and the engine is at work in this thread.
inline bool is_lifted() {
  return is_inside_operator() || (lifted && torch::autograd::get_current_graph_task_id() >= 0);
}

// A ban that sleeps while the driver differentiates: autograd's own formulas may dispatch the
// operator.
class SleepingTrap final : public c10::OperatorKernel {
 public:
  explicit SleepingTrap(SafeKernelFunction original) : original_(std::move(original)) {}
  void operator()(const OperatorHandle& op, DispatchKeySet ks, Stack* stack) {
    if (!is_lifted()) stop_at(op);
    original_.callBoxed(op, ks, stack);
  }

 private:
  SafeKernelFunction original_;
};

inline OperatorHandle find_operator(const std::string& full_name) {
  const size_t dot = full_name.find('.', full_name.find("::"));
  const bool has_overload = dot != std::string::npos;
  auto op = Dispatcher::singleton().findOp(
      {full_name.substr(0, dot), has_overload ? full_name.substr(dot + 1) : std::string()});
  TORCH_CHECK_VALUE(op.has_value(), "no operator is called ", full_name);
  return *op;
}

inline std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// Those that are banned forward-only, by their full names.
inline std::unordered_set<std::string>& sleeping_bans() {
  static auto* names = new std::unordered_set<std::string>();
  return *names;
}

template <class Kernel>
void replace_table(const OperatorHandle& op, DispatchKey key) {
  install(op, key,
          KernelFunction::makeFromBoxedFunctor<Kernel>(
              std::make_unique<Kernel>(op.getComputedKernelForDispatchKey(key))));
}

inline bool has_own_kernel(const OperatorHandle& op, DispatchKey key) {
  return op.hasKernelForDispatchKey(key) && !op.isKernelFallthroughKernel(key);
}

// An operator of other hardware has no kernel here under any of these and fails by itself.
inline bool can_run_here(const OperatorHandle& op) {
  constexpr DispatchKey kBackends[] = {DispatchKey::CPU,          DispatchKey::MkldnnCPU,
                                       DispatchKey::QuantizedCPU, DispatchKey::SparseCPU,
                                       DispatchKey::SparseCsrCPU, DispatchKey::NestedTensorCPU,
                                       DispatchKey::Meta};
  return std::any_of(std::begin(kBackends), std::end(kBackends),
                     [&](DispatchKey key) { return op.hasComputedKernelForDispatchKey(key); });
}

inline bool is_tensor_key(DispatchKey key) {
  return std::find(std::begin(kTensorKeys), std::end(kTensorKeys), key) != std::end(kTensorKeys);
}

// Ban one operator on every way to it: under the keys of this machine's tensors, and under each
// other key that has a kernel of its own, which may decompose the operator instead of passing it on
// (vmap's layers multiply and add for `linear`). A key without one re-dispatches, or takes the kernel
// of an alias key. Alias keys can be called by name as well (OpOverload._op_dk), past the table. The
// kernels below stay in the dispatcher's lists and stay unreachable: a later registration can only
// hide a trap behind code of its own, and taking it off brings the trap back.
inline void forbid_operator(const OperatorHandle& op, bool forward_only) {
  if (!can_run_here(op)) return;
  if (forward_only) sleeping_bans().insert(full_name(op.operator_name()));
  constexpr auto kLast = static_cast<uint16_t>(DispatchKey::EndOfAliasKeys);
  for (uint16_t number = 1; number <= kLast; ++number) {
    const auto key = static_cast<DispatchKey>(number);
    const bool is_reached =
        is_tensor_key(key) ? op.hasComputedKernelForDispatchKey(key) : has_own_kernel(op, key);
    if (!is_reached) continue;
    if (forward_only && !c10::isAliasDispatchKey(key)) {
      replace_table<SleepingTrap>(op, key);
    } else {
      install(op, key, KernelFunction::makeFromBoxedFunction<&forbidden_kernel>());
    }
  }
}

// Autocast on the CPU is a key that is excluded until a flag, a guard or a call by key puts it into
// force. Its kernels end the process, so that it does not matter which of them did.
inline void forbid_autocast() {
  constexpr auto kKey = DispatchKey::AutocastCPU;
  auto& dispatcher = Dispatcher::singleton();
  for (const auto& name : dispatcher.getRegistrationsForDispatchKey(kKey)) {
    const auto op = dispatcher.findSchema(name);
    if (!op) continue;
    install(*op, kKey, KernelFunction::makeFromBoxedFunction<&forbidden_kernel>());
  }
}

// The operators inside which a forward-only ban sleeps: those that autograd knows, which are not
// composed of others, and those that a family names.
inline std::unordered_set<std::string>& sleeping_inside() {
  static auto* names = new std::unordered_set<std::string>();
  return *names;
}

struct OperatorContext final : public at::ObserverContext {
  explicit OperatorContext(int outer) : outer(outer) {}
  int outer;
};

inline std::unique_ptr<at::ObserverContext> enter_operator(const at::RecordFunction& call) {
  const auto name = call.operator_name();
  if (!name || sleeping_inside().count(full_name(*name)) == 0) return nullptr;
  auto context = std::make_unique<OperatorContext>(entries_at_operator);
  entries_at_operator = num_entries_of_python();
  return context;
}

inline void leave_operator(const at::RecordFunction& /*call*/, at::ObserverContext* context) {
  if (context != nullptr) entries_at_operator = static_cast<OperatorContext*>(context)->outer;
}

// An observer stands before the dispatch, so that it does not matter which kernel an operator meets:
// below autograd and in inference mode an allowed operator works as elsewhere. Where observers are
// switched off, the ban does not sleep.
inline void watch_operators(const std::vector<std::string>& also) {
  auto& dispatcher = Dispatcher::singleton();
  for (const auto& name : dispatcher.getRegistrationsForDispatchKey(DispatchKey::Autograd)) {
    sleeping_inside().insert(full_name(name));
  }
  sleeping_inside().insert(also.begin(), also.end());
  for (const auto& name : sleeping_bans()) sleeping_inside().erase(name);
  at::addGlobalCallback(at::RecordFunctionCallback(&enter_operator, &leave_operator)
                            .scopes({at::RecordScope::FUNCTION}));
}

template <class Predicate>
bool any_tensor(const c10::IValue& value, const Predicate& predicate) {
  if (value.isTensor()) return value.toTensor().defined() && predicate(value.toTensor());
  if (value.isTensorList()) {
    for (const at::Tensor& t : value.toTensorList()) {
      if (t.defined() && predicate(t)) return true;
    }
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      if (any_tensor(item, predicate)) return true;
    }
  }
  return false;
}

// Tangents exist only inside a level; asking every tensor otherwise takes a lock of the tensor each
// time.
inline bool in_forward_ad() {
  return torch::autograd::ForwardADLevel::try_get_by_idx(0) != nullptr;
}

inline bool has_tangent(const at::Tensor& t) {
  return t.unsafeGetTensorImpl()->_fw_grad(/*level=*/0, t).defined();
}

// While recording is forbidden nothing but the submission's own backward has operators to run: a
// node of autograd's own was recorded where that is allowed, while the file was loaded, and is
// replayed. Told by the name of its type, for the classes of torch's Python half are not exported.
inline bool is_own_node(const torch::autograd::Node& node) {
  const std::string_view type = typeid(node).name();
  return type.find("PyNode") != type.npos || type.find("AccumulateGrad") != type.npos ||
         type.find("GraphRoot") != type.npos;
}

inline thread_local const torch::autograd::Node* running_node = nullptr;

struct NodeContext final : public at::ObserverContext {
  explicit NodeContext(const torch::autograd::Node* outer) : outer(outer) {}
  const torch::autograd::Node* outer;
};

// Every node of a graph passes here, whatever keys and modes are in force. The engine names the node
// that it runs; a node that is called from elsewhere, `y.grad_fn(g)`, is none of the engine's.
inline std::unique_ptr<at::ObserverContext> enter_node(const at::RecordFunction& call) {
  if (!guard().recording_forbidden.load(std::memory_order_relaxed)) return nullptr;
  const auto node = torch::autograd::get_current_node();
  if (!node || node.get() == running_node || !is_own_node(*node) || node->name() != call.name()) {
    fail_stop("autograd: a recorded node runs", call.name());
  }
  auto context = std::make_unique<NodeContext>(running_node);
  running_node = node.get();
  return context;
}

inline void leave_node(const at::RecordFunction& /*call*/, at::ObserverContext* context) {
  if (context != nullptr) running_node = static_cast<NodeContext*>(context)->outer;
}

inline void watch_nodes() {
  at::addGlobalCallback(at::RecordFunctionCallback(&enter_node, &leave_node)
                            .scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

inline std::unique_ptr<at::ObserverContext> stop_at_any(const at::RecordFunction& call) {
  fail_stop(call.name());
}

// From now on no operator may be called at all, in any thread. The observer stands before the
// dispatch, where no mode and no excluded key hides a call; ways past it (calls by key, switching
// observers off) are closed by the family `every-operator`.
inline void forbid_every_operator() {
  at::addGlobalCallback(
      at::RecordFunctionCallback(&stop_at_any).scopes({at::RecordScope::FUNCTION}));
}

// Autograd's own kernel, watched. It runs first, because only its result tells whether a node was
// made: detach, comparisons and argmax take tensors that require grad and record nothing.
class WatchedAutograd final : public c10::OperatorKernel {
 public:
  explicit WatchedAutograd(SafeKernelFunction original) : original_(std::move(original)) {}
  void operator()(const OperatorHandle& op, DispatchKeySet ks, Stack* stack) {
    if (!guard().recording_forbidden.load(std::memory_order_relaxed)) {
      original_.callBoxed(op, ks, stack);
      return;
    }
    const size_t num_arguments = op.schema().arguments().size();
    for (size_t i = stack->size() - num_arguments; in_forward_ad() && i < stack->size(); ++i) {
      if (any_tensor((*stack)[i], has_tangent)) stop_at(op);
    }
    const bool grad_mode = at::GradMode::is_enabled();
    original_.callBoxed(op, ks, stack);
    if (!grad_mode) return;
    const size_t num_returns = op.schema().returns().size();
    for (size_t i = stack->size() - num_returns; i < stack->size(); ++i) {
      if (any_tensor((*stack)[i], [](const at::Tensor& t) { return t.requires_grad(); }))
        stop_at(op);
    }
  }

 private:
  SafeKernelFunction original_;
};

// Done once, before any fork, for every operator that autograd knows; afterwards the flag alone
// decides. Under the alias key, so that sparse, mkldnn and nested tensors and calls by key meet it
// as well.
inline size_t prepare_recording() {
  auto& dispatcher = Dispatcher::singleton();
  size_t count = 0;
  for (const auto& name : dispatcher.getRegistrationsForDispatchKey(DispatchKey::Autograd)) {
    const auto op = dispatcher.findSchema(name);
    if (!op || !has_own_kernel(*op, DispatchKey::Autograd)) continue;
    install(*op, DispatchKey::Autograd,
            KernelFunction::makeFromBoxedFunctor<WatchedAutograd>(std::make_unique<WatchedAutograd>(
                op->getComputedKernelForDispatchKey(DispatchKey::AutogradCPU))));
    ++count;
  }
  return count;
}

}  // namespace torchstone
