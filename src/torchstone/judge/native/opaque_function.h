// A function of tensors that Python can call and differentiate, and whose coefficients it cannot
// read: y = b + W [z, z^2, z^3] of the concatenated inputs z, with a backward that has coefficients
// of its own. kit/opaque_function.py describes them and packs them in the order in which they are
// read here.
//
// All arithmetic is below, not in operators of torch: who watches those sees inputs and results only.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "decryption.h"

namespace torchstone {

using Vector = std::vector<double>;

// Reads 64-bit numbers, little endian as this machine.
class Numbers {
 public:
  explicit Numbers(Bytes bytes) : bytes_(bytes) {}

  int64_t integer(int64_t least, int64_t most) {
    const auto number = next<int64_t>();
    if (number < least || number > most) throw std::invalid_argument("a count is out of range");
    return number;
  }

  Vector reals(size_t count) {
    Vector found(count);
    for (double& number : found) number = next<double>();
    return found;
  }

  void end() const {
    if (!bytes_.empty()) throw std::invalid_argument("numbers are left over");
  }

 private:
  template <class T>
  T next() {
    if (bytes_.size() < sizeof(T)) throw std::invalid_argument("numbers are missing");
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }

  Bytes bytes_;
};

class Polynomial {
 public:
  explicit Polynomial(Bytes packed) {
    Numbers read(packed);
    const int64_t many = 4096;
    n_ = static_cast<size_t>(read.integer(0, many));
    m_ = static_cast<size_t>(read.integer(0, many));
    generator_.seed(static_cast<uint64_t>(read.integer(0, INT64_MAX)));
    is_list = read.integer(0, 1) != 0;
    given = flags(read, read.integer(0, many));
    attached = flags(read, read.integer(0, many));
    size_t total = 0;
    for (size_t i = 0; i < attached.size(); ++i) {
      auto& shape = shapes.emplace_back(static_cast<size_t>(read.integer(0, 8)));
      for (int64_t& size : shape) size = read.integer(0, many);
      total += static_cast<size_t>(c10::multiply_integers(shape));
    }
    if (total != m_) throw std::invalid_argument("the shapes do not add up to the outputs");
    bias_ = read.reals(m_);
    for (Vector& matrix : weights_) matrix = read.reals(m_ * n_);
    for (Vector& matrix : claims_) matrix = read.reals(m_ * n_);
    bends_ = read.reals(5);
    shift_ = read.reals(n_);
    noise_ = read.reals(m_);
    stretch_ = read.reals(1)[0];
    read.end();
  }

  size_t num_inputs() const { return n_; }
  size_t num_outputs() const { return m_; }

  Vector value(const Vector& z) const {
    Vector y = bias_;
    for (size_t i = 0; i < m_; ++i) {
      for (size_t j = 0; j < n_; ++j) {
        const size_t k = i * n_ + j;
        y[i] += z[j] * (weights_[0][k] + z[j] * (weights_[1][k] + z[j] * weights_[2][k]));
      }
    }
    return y;
  }

  // What backward claims to be the product of a cotangent and the Jacobian.
  Vector vjp(const Vector& z, const Vector& g, bool is_strided) {
    Vector found = shift_;
    for (size_t i = 0; i < m_; ++i) {
      const double bent =
          bends_[0] + g[i] * (bends_[1] + g[i] * (bends_[3] + g[i] * bends_[4])) +
          bends_[2] * std::fabs(g[i]);
      for (size_t j = 0; j < n_; ++j) {
        const size_t k = i * n_ + j;
        found[j] +=
            bent * (claims_[0][k] + z[j] * (2 * claims_[1][k] + 3 * z[j] * claims_[2][k]));
      }
    }
    double largest = 0;
    for (size_t i = 0; i < m_; ++i) largest = std::fmax(largest, g[i] != 0 ? noise_[i] : 0);
    const std::lock_guard<std::mutex> lock(drawing_);
    std::uniform_real_distribution<double> between(-1, 1);
    for (double& number : found) {
      number += largest * between(generator_);
      if (is_strided) number *= stretch_;
    }
    return found;
  }

  bool is_list = false;
  std::vector<bool> given, attached;
  std::vector<std::vector<int64_t>> shapes;

 private:
  static std::vector<bool> flags(Numbers& read, int64_t count) {
    std::vector<bool> found;
    for (int64_t i = 0; i < count; ++i) found.push_back(read.integer(0, 1) != 0);
    return found;
  }

  size_t n_ = 0, m_ = 0;
  Vector bias_, bends_, shift_, noise_;
  std::array<Vector, 3> weights_, claims_;
  double stretch_ = 1;
  std::mutex drawing_;
  std::mt19937_64 generator_;
};

// Appends the elements of a tensor, in the order of its indices.
inline void append(const at::Tensor& tensor, Vector& to) {
  const auto wrapped = c10::DispatchKeySet({c10::DispatchKey::FuncTorchBatched,
                                            c10::DispatchKey::FuncTorchGradWrapper,
                                            c10::DispatchKey::Functionalize,
                                            c10::DispatchKey::Python});
  TORCH_CHECK(tensor.scalar_type() == at::kDouble && tensor.device().is_cpu() &&
                  tensor.layout() == at::kStrided && !tensor.key_set().has_any(wrapped) &&
                  tensor.has_storage(),
              "this function takes dense float64 tensors on the CPU, not a ", tensor.toString(),
              " of ", tensor.scalar_type(), "; transforms of torch.func do not apply to it");
  const at::Tensor dense = tensor.detach().resolve_neg().contiguous();
  const double* numbers = dense.const_data_ptr<double>();
  to.insert(to.end(), numbers, numbers + dense.numel());
}

inline at::Tensor cut(const Vector& numbers, size_t& at, at::IntArrayRef shape) {
  at::Tensor part = at::empty(shape, at::kDouble);
  const auto count = static_cast<size_t>(part.numel());
  std::copy_n(numbers.data() + at, count, part.mutable_data_ptr<double>());
  at += count;
  return part;
}

struct PolynomialBackward final : torch::autograd::Node {
  std::shared_ptr<Polynomial> polynomial;
  std::vector<torch::autograd::SavedVariable> inputs;
  bool is_strided = false;

  std::string name() const override { return "OpaqueFunctionBackward"; }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& input : inputs) input.reset_data();
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& cotangents) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<at::Tensor> tensors;
    Vector z, g;
    for (auto& input : inputs) append(tensors.emplace_back(input.unpack()), z);
    for (size_t i = 0; i < cotangents.size(); ++i) {
      if (cotangents[i].defined()) {
        append(cotangents[i], g);
      } else {
        g.resize(g.size() + static_cast<size_t>(c10::multiply_integers(polynomial->shapes[i])));
      }
    }
    TORCH_CHECK(g.size() == polynomial->num_outputs(), "the cotangents have other sizes");
    const Vector gradient = polynomial->vjp(z, g, is_strided);
    torch::autograd::variable_list parts;
    size_t at = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
      parts.push_back(cut(gradient, at, tensors[i].sizes()));
      if (!polynomial->given[i]) parts.back().reset();
    }
    return parts;
  }
};

inline std::vector<at::Tensor> evaluate(const std::shared_ptr<Polynomial>& polynomial,
                                        const std::vector<at::Tensor>& inputs) {
  TORCH_CHECK(inputs.size() == polynomial->given.size(), "this function takes ",
              polynomial->given.size(), " tensors, not ", inputs.size());
  Vector z;
  for (const auto& input : inputs) {
    TORCH_CHECK(!torch::autograd::isFwGradDefined(input), "this function has no forward-mode rule");
    append(input, z);
  }
  TORCH_CHECK(z.size() == polynomial->num_inputs(), "this function takes ",
              polynomial->num_inputs(), " elements, not ", z.size());
  c10::intrusive_ptr<PolynomialBackward> node;
  if (torch::autograd::GradMode::is_enabled() &&
      torch::autograd::any_variable_requires_grad(inputs)) {
    node = c10::make_intrusive<PolynomialBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(inputs));
    node->polynomial = polynomial;
    for (const auto& input : inputs) {
      node->is_strided = node->is_strided || !input.is_contiguous();
      node->inputs.emplace_back(input, false);
    }
  }
  const Vector y = polynomial->value(z);
  std::vector<at::Tensor> outputs;
  size_t at = 0;
  for (size_t i = 0; i < polynomial->shapes.size(); ++i) {
    outputs.push_back(cut(y, at, polynomial->shapes[i]));
    if (node.defined()) torch::autograd::set_history(outputs.back(), node);
    if (!polynomial->attached[i]) outputs.back() = outputs.back().detach();
  }
  return outputs;
}

struct OpaqueFunction {
  PyObject_HEAD
  std::shared_ptr<Polynomial>* polynomial;
};

inline PyObject* call_opaque_function(PyObject* self, PyObject* args, PyObject* keywords) {
  HANDLE_TH_ERRORS
  const auto& polynomial = *reinterpret_cast<OpaqueFunction*>(self)->polynomial;
  if (keywords != nullptr && PyDict_GET_SIZE(keywords) != 0) {
    throw torch::TypeError("this function takes no keyword arguments");
  }
  std::vector<at::Tensor> inputs;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    if (!THPVariable_Check(item)) {
      throw torch::TypeError(std::string("this function takes tensors, not a ") +
                             Py_TYPE(item)->tp_name);
    }
    inputs.push_back(THPVariable_Unpack(item));
  }
  const std::vector<at::Tensor> outputs = evaluate(polynomial, inputs);
  if (outputs.size() == 1 && !polynomial->is_list) return THPVariable_Wrap(outputs[0]);
  const auto count = static_cast<Py_ssize_t>(outputs.size());
  PyObject* all = polynomial->is_list ? PyList_New(count) : PyTuple_New(count);
  for (Py_ssize_t i = 0; all != nullptr && i < count; ++i) {
    PyObject* one = THPVariable_Wrap(outputs[static_cast<size_t>(i)]);
    if (polynomial->is_list) {
      PyList_SET_ITEM(all, i, one);
    } else {
      PyTuple_SET_ITEM(all, i, one);
    }
  }
  return all;
  END_HANDLE_TH_ERRORS
}

inline void free_opaque_function(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<OpaqueFunction*>(self)->polynomial;
  type->tp_free(self);
  Py_DECREF(type);
}

inline PyTypeObject* opaque_function_type() {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(&call_opaque_function)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(&free_opaque_function)},
                                {0, nullptr}};
  static PyType_Spec spec = {"torchstone_bans.OpaqueFunction", sizeof(OpaqueFunction), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                 Py_TPFLAGS_IMMUTABLETYPE,
                             slots};
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

inline PyObject* make_opaque_function(Bytes packed) {
  auto polynomial = std::make_shared<Polynomial>(packed);
  PyTypeObject* type = opaque_function_type();
  if (type == nullptr) return nullptr;
  PyObject* made = type->tp_alloc(type, 0);
  if (made != nullptr) {
    reinterpret_cast<OpaqueFunction*>(made)->polynomial =
        new std::shared_ptr<Polynomial>(std::move(polynomial));
  }
  return made;
}

}  // namespace torchstone
