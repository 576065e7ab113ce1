// Shapes of what forward AD adds and multiplies. A zero tangent has no memory, and torch finds the
// shape of a product with one by a call on meta tensors, for which it has a kernel in Python: the
// twin of an operator, which is closed. The kernels in C++ below give the same shapes.
#pragma once

#include <c10/util/string_view.h>

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

}  // namespace torchstone
