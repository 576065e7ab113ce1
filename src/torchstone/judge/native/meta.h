// Shapes of what forward AD adds and multiplies. A zero tangent has no memory, and torch finds the
// shape of a product with one by a call on meta tensors, for which it has a kernel in Python,
// which is closed. The kernels in C++ below give the same shapes.
#pragma once

#include <c10/util/string_view.h>

#include <ATen/TensorUtils.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/add_meta_dispatch.h>
#include <ATen/ops/div_meta_dispatch.h>
#include <ATen/ops/mul_meta_dispatch.h>
#include <ATen/ops/sub_meta_dispatch.h>

#include "operators.h"

namespace torchstone {

template <class Function>
void install_meta(const char* name, Function* function) {
  install(find_operator(name), DispatchKey::Meta,
          KernelFunction::makeFromUnboxedRuntimeFunction(function));
}

using Binary = at::Tensor(const at::Tensor&, const at::Tensor&);
using Scaled = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&);

inline void install_shapes() {
  install_meta("aten::mul.Tensor", static_cast<Binary*>(&at::meta::mul));
  install_meta("aten::div.Tensor", static_cast<Binary*>(&at::meta::div));
  install_meta("aten::add.Tensor", static_cast<Scaled*>(&at::meta::add));
  install_meta("aten::sub.Tensor", static_cast<Scaled*>(&at::meta::sub));
}

// `reshape` ends in this operator. torch checks neither sizes nor strides, so that its results read and
// write beyond the storage. Here it makes the view that `reshape` makes, and no other.
inline at::Tensor reshape_alias(const at::Tensor& self, at::IntArrayRef size,
                                at::IntArrayRef stride) {
  const auto usual = c10::multiply_integers(size) == self.numel()
                         ? at::detail::computeStride(self.sizes(), self.strides(), at::DimVector(size))
                         : std::nullopt;
  if (!usual.has_value() || at::IntArrayRef(*usual) != stride) fail_stop("aten::_reshape_alias");
  return at::native::_reshape_alias(self, size, stride);
}

inline void install_views() {
  for (const auto key : {DispatchKey::CPU, DispatchKey::QuantizedCPU}) {
    install(find_operator("aten::_reshape_alias"), key,
            KernelFunction::makeFromUnboxedRuntimeFunction(&reshape_alias));
  }
}

}  // namespace torchstone
