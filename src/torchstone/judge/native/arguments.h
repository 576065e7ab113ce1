// Arguments that torch takes without a check, and by which an operator reads or writes beyond its
// tensors. The operator ends the process instead.
#pragma once

#include <ATen/ExpandUtils.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <utility>

#include "operators.h"

namespace torchstone {

// A kernel behind a check of some arguments.
class Checked final : public c10::OperatorKernel {
 public:
  // Whether an operator may run with these arguments.
  using Check = bool (*)(const OperatorHandle& op, at::ArrayRef<c10::IValue> arguments);

  Checked(SafeKernelFunction original, Check check)
      : original_(std::move(original)), check_(check) {}
  void operator()(const OperatorHandle& op, DispatchKeySet ks, Stack* stack) {
    const size_t num_arguments = op.schema().arguments().size();
    const at::ArrayRef<c10::IValue> all(*stack);
    if (!check_(op, all.slice(all.size() - num_arguments))) stop_at(op);
    original_.callBoxed(op, ks, stack);
  }

 private:
  SafeKernelFunction original_;
  Check check_;
};

inline void check_at(const OperatorHandle& op, DispatchKey key, DispatchKey holder,
                     Checked::Check check) {
  install(op, key,
          KernelFunction::makeFromBoxedFunctor<Checked>(
              std::make_unique<Checked>(op.getComputedKernelForDispatchKey(holder), check)));
}

// Each kernel once: those under alias keys, found by a key of tensors that has none of its own, and
// then those of single keys.
inline void check_everywhere(const OperatorHandle& op, Checked::Check check) {
  constexpr DispatchKey kComposite[] = {
      DispatchKey::CompositeImplicitAutograd,
      DispatchKey::CompositeExplicitAutograd,
      DispatchKey::CompositeExplicitAutogradNonFunctional,
  };
  constexpr DispatchKey kHolders[] = {DispatchKey::CPU, DispatchKey::QuantizedCPU,
                                      DispatchKey::MkldnnCPU, DispatchKey::SparseCPU};
  const auto holder =
      std::find_if(std::begin(kHolders), std::end(kHolders), [&](DispatchKey key) {
        return !op.hasKernelForDispatchKey(key) && op.hasComputedKernelForDispatchKey(key);
      });
  const auto check_alias = [&](DispatchKey alias, DispatchKey key) {
    if (has_own_kernel(op, alias) && !op.hasKernelForDispatchKey(key)) {
      check_at(op, alias, key, check);
    }
  };
  for (const auto alias : kComposite) {
    if (holder != std::end(kHolders)) check_alias(alias, *holder);
  }
  check_alias(DispatchKey::CompositeImplicitAutogradNestedTensor, DispatchKey::NestedTensorCPU);
  check_alias(DispatchKey::Autograd, DispatchKey::AutogradCPU);
  constexpr auto kLast = static_cast<uint16_t>(DispatchKey::EndOfRuntimeBackendKeys);
  for (uint16_t number = 1; number <= kLast; ++number) {
    const auto key = static_cast<DispatchKey>(number);
    if (has_own_kernel(op, key)) check_at(op, key, key, check);
  }
}

inline bool is_dtype(const c10::Argument& argument) {
  auto type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::ScalarTypeType;
}

// From Python a dtype comes as a number, which is the place in a table of sizes and of functions.
inline bool have_known_dtypes(const OperatorHandle& op, at::ArrayRef<c10::IValue> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isInt() || !is_dtype(op.schema().arguments()[i])) continue;
    const int64_t number = arguments[i].toInt();
    if (number < 0 || number >= static_cast<int64_t>(c10::ScalarType::NumOptions)) return false;
  }
  return true;
}

// `cholesky_solve` looks at the shapes; this operator takes the size and the number of matrices from
// `A` and writes as much into a copy of `self`.
inline bool fit_each_other(const OperatorHandle& /*op*/, at::ArrayRef<c10::IValue> arguments) {
  const auto self = arguments[0].toTensor(), a = arguments[1].toTensor();
  const auto dim = a.dim();
  return dim >= 2 && self.dim() == dim && a.size(-1) == a.size(-2) && self.size(-2) == a.size(-2) &&
         self.sizes().slice(0, dim - 2) == a.sizes().slice(0, dim - 2);
}

// Of the batch norms that no check of `batch_norm` precedes: what has one element for each channel is
// read, and running averages are written, as far as the input has channels.
inline bool have_all_channels(const OperatorHandle& op, at::ArrayRef<c10::IValue> arguments) {
  static const std::unordered_set<std::string_view> by_channel{
      "weight", "bias", "running_mean", "running_var", "save_mean", "save_var", "save_invstd"};
  const auto& schema = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (by_channel.count(schema[i].name()) == 0 || !arguments[i].isTensor()) continue;
    const auto& input = arguments[schema[0].name() == "grad_out" ? 1 : 0].toTensor();
    const auto& tensor = arguments[i].toTensor();
    // One without elements has no memory: its address is null.
    if (!tensor.defined() || tensor.numel() == 0) continue;
    if (input.dim() < 2 || tensor.numel() != input.size(1)) return false;
  }
  return true;
}

// Of `cdist_backward`: the gradient and the distances are read as far as two sets of points have
// pairs, whatever their own sizes are.
inline bool have_all_pairs(const OperatorHandle& /*op*/, at::ArrayRef<c10::IValue> arguments) {
  const auto a = arguments[1].toTensor(), b = arguments[2].toTensor();
  if (a.dim() < 2 || b.dim() < 2 || a.size(-1) != b.size(-1)) return false;
  const auto batch = [](const at::Tensor& points) {
    return points.sizes().slice(0, points.dim() - 2);
  };
  // It raises where they do not broadcast.
  auto pairs = at::infer_size(batch(a), batch(b));
  pairs.insert(pairs.end(), {a.size(-2), b.size(-2)});
  return arguments[0].toTensor().sizes() == pairs && arguments[4].toTensor().sizes() == pairs;
}

inline void check_arguments() {
  auto& dispatcher = Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (!op) continue;
    const auto& arguments = op->schema().arguments();
    if (std::any_of(arguments.begin(), arguments.end(), is_dtype)) {
      check_everywhere(*op, &have_known_dtypes);
    }
  }
  check_everywhere(find_operator("aten::_cholesky_solve_helper"), &fit_each_other);
  check_everywhere(find_operator("aten::_cdist_backward"), &have_all_pairs);
  for (const char* name :
       {"aten::native_batch_norm", "aten::_native_batch_norm_legit", "aten::batch_norm_backward",
        "aten::_native_batch_norm_legit_no_training", "aten::_batch_norm_with_update",
        "aten::_batch_norm_no_update", "aten::native_batch_norm_backward",
        "aten::_native_batch_norm_legit.no_stats", "aten::native_batch_norm.out",
        "aten::_native_batch_norm_legit.out", "aten::_native_batch_norm_legit.no_stats_out",
        "aten::batch_norm_update_stats",
        "aten::_batch_norm_with_update_functional", "aten::_native_batch_norm_legit_functional"}) {
    check_everywhere(find_operator(name), &have_all_channels);
  }
}

}  // namespace torchstone
