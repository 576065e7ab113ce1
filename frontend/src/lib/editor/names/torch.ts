/** Written by tools/completion_names.py; do not change it by hand. */

export default `@torch
AVG: AggregationType
Event(device=None, *, enable_timing=False, blocking=False, interprocess=False)
Generator(device=None, seed=None)
GradScaler(device='cuda', init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True)
PRIVATE_OPS: tuple
SUM: AggregationType
Size(iterable=())
Stream(device, *, priority) -> Stream
SymBool(node)
SymFloat(node)
SymInt(node)
TYPE_CHECKING: bool
Tensor(...)
USE_GLOBAL_DEPS: bool
USE_RTLD_GLOBAL_WITH_LIBTORCH: bool
abs(input: Tensor, *, out: Optional[Tensor]) -> Tensor
abs_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
absolute(input: Tensor, *, out: Optional[Tensor]) -> Tensor
accelerator: module
acos(input: Tensor, *, out: Optional[Tensor]) -> Tensor
acos_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
acosh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
acosh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
adaptive_avg_pool1d(input, output_size) -> Tensor
adaptive_max_pool1d(input, output_size)
add(input, other, *, alpha=1, out=None) -> Tensor
addbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None) -> Tensor
addcdiv(input, tensor1, tensor2, *, value=1, out=None) -> Tensor
addcmul(input, tensor1, tensor2, *, value=1, out=None) -> Tensor
addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None) -> Tensor
addmv(input, mat, vec, *, beta=1, alpha=1, out=None) -> Tensor
addmv_(input, mat, vec, *, beta=1, alpha=1, out=None) -> Tensor
addr(input, vec1, vec2, *, beta=1, alpha=1, out=None) -> Tensor
adjoint(input: Tensor) -> Tensor
affine_grid_generator(theta, size, align_corners)
alias_copy(input)
all(input: Tensor, *, out=None) -> Tensor
allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool
alpha_dropout(input, p, train)
alpha_dropout_(input, p, train)
amax(input, dim=None, keepdim=False, *, out=None) -> Tensor
amin(input, dim=None, keepdim=False, *, out=None) -> Tensor
aminmax(input, *, dim=None, keepdim=False, out=None)
amp: module
angle(input: Tensor, *, out: Optional[Tensor]) -> Tensor
any(input: Tensor, *, out: Optional[Tensor]) -> Tensor
ao: module
arange(start=0, end, step=1, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
arccos(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arccos_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arccosh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arccosh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arcsin(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arcsin_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arcsinh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arcsinh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arctan(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arctan2(input: Tensor, other: Tensor, *, out: Optional[Tensor]) -> Tensor
arctan_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arctanh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
arctanh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
are_deterministic_algorithms_enabled()
argmax(input) -> LongTensor
argmin(input, dim=None, keepdim=False) -> LongTensor
argsort(input, dim=-1, descending=False, *, stable=False) -> Tensor
argwhere(input) -> Tensor
as_strided(input, size, stride, storage_offset=None) -> Tensor
as_strided_(input, size, stride, storage_offset=None) -> Tensor
as_strided_copy(input, size, stride, storage_offset=None)
as_strided_scatter(input, src, size, stride, storage_offset=None) -> Tensor
as_tensor(data: Any, *, dtype: Optional[dtype] = None, device: Optional[DeviceLikeType]) -> Tensor
asarray(obj: Any, *, dtype: Optional[dtype], device: Optional[DeviceLikeType], copy: Optional[bool] = None, requires_grad: Optional[bool] = None) -> Tensor
asin(input: Tensor, *, out: Optional[Tensor]) -> Tensor
asin_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
asinh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
asinh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
atan(input: Tensor, *, out: Optional[Tensor]) -> Tensor
atan2(input: Tensor, other: Tensor, *, out: Optional[Tensor]) -> Tensor
atan_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
atanh(input: Tensor, *, out: Optional[Tensor]) -> Tensor
atanh_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
atleast_1d(*tensors)
atleast_2d(*tensors)
atleast_3d(*tensors)
autocast(device_type, dtype=None, enabled=True, cache_enabled=None)
autocast_decrement_nesting(...)
autocast_increment_nesting(...)
autograd: module
avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor
backends: module
baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None) -> Tensor
bartlett_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
batch_norm_backward_elemt(grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count)
batch_norm_backward_reduce(grad_out, input, mean, invstd, weight, input_g, weight_g, bias_g)
batch_norm_elemt(input, weight, bias, mean, invstd, eps)
batch_norm_gather_stats(input, mean, invstd, running_mean, running_var, momentum, eps, count)
batch_norm_gather_stats_with_counts(input, mean, invstd, running_mean, running_var, momentum, eps, counts)
batch_norm_stats(input, eps)
batch_norm_update_stats(input, running_mean, running_var, momentum)
bernoulli(input: Tensor, *, generator: Optional[Generator], out: Optional[Tensor]) -> Tensor
bfloat16: dtype
bilinear(input1, input2, weight, bias=None) -> Tensor
binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=1)
bincount(input, weights=None, minlength=0) -> Tensor
binomial(count, prob, generator=None)
bit: dtype
bits16: dtype
bits1x8: dtype
bits2x4: dtype
bits4x2: dtype
bits8: dtype
bitwise_and(input, other, *, out=None) -> Tensor
bitwise_left_shift(input, other, *, out=None) -> Tensor
bitwise_not(input, *, out=None) -> Tensor
bitwise_or(input: Tensor, other: Tensor, *, out: Optional[Tensor]) -> Tensor
bitwise_right_shift(input, other, *, out=None) -> Tensor
bitwise_xor(input, other, *, out=None) -> Tensor
blackman_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
block_diag(*tensors)
bmm(input, mat2, *, out=None) -> Tensor
bool: dtype
broadcast_shapes(*shapes) -> Size
broadcast_tensors(*tensors) -> List
broadcast_to(input, shape) -> Tensor
bucketize(input, boundaries, *, out_int32=False, right=False, out=None) -> Tensor
can_cast(from_, to) -> bool
cartesian_prod(*tensors)
cat(tensors, dim=0, *, out=None) -> Tensor
ccol_indices_copy(input)
cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')
cdouble: dtype
ceil(input, *, out=None) -> Tensor
ceil_(input, *, out=None) -> Tensor
celu(input, alpha=1.0)
celu_(input, alpha=1.) -> Tensor
cfloat: dtype
chain_matmul(*matrices, out=None)
chalf: dtype
channel_shuffle(input, groups) -> Tensor
channels_last: memory_format
channels_last_3d: memory_format
cholesky(input, upper=False, *, out=None) -> Tensor
cholesky_inverse(L, upper=False, *, out=None) -> Tensor
cholesky_solve(B, L, upper=False, *, out=None) -> Tensor
choose_qparams_optimized(input, numel, n_bins, ratio, bit_width)
chunk(input: Tensor, chunks: int, dim: int = 0) -> Tuple[Tensor, ...]
clamp(input, min=None, max=None, *, out=None) -> Tensor
clamp_(input, min=None, max=None, *, out=None) -> Tensor
clamp_max(input, max)
clamp_max_(input, max)
clamp_min(input, min)
clamp_min_(input, min)
classes: module
classproperty(func)
clear_autocast_cache(...)
clip(input, min=None, max=None, *, out=None) -> Tensor
clip_(input, min=None, max=None, *, out=None) -> Tensor
clone(input, *, memory_format=torch.preserve_format) -> Tensor
col_indices_copy(input)
column_stack(tensors, *, out=None) -> Tensor
combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> seq
compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False, recompile_limit=None, isolate_recompiles=False,…
compiled_with_cxx11_abi()
compiler: module
complex(real, imag, *, out=None) -> Tensor
complex128: dtype
complex32: dtype
complex64: dtype
concat(tensors, dim=0, *, out=None) -> Tensor
concatenate(tensors, axis=0, out=None) -> Tensor
cond(pred, true_fn, false_fn, operands=())
conj(input) -> Tensor
conj_physical(input, *, out=None) -> Tensor
conj_physical_(input, *, out=None) -> Tensor
constant_pad_nd(input, pad, value=0)
contiguous_format: memory_format
conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv_tbc(input, weight, bias, pad=0)
conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
copysign(input, other, *, out=None) -> Tensor
corrcoef(input) -> Tensor
cos(input, *, out=None) -> Tensor
cos_(input, *, out=None) -> Tensor
cosh(input, *, out=None) -> Tensor
cosh_(input, *, out=None) -> Tensor
cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=1)
cosine_similarity(x1, x2, dim=1, eps=1e-8) -> Tensor
count_nonzero(input, dim=None) -> Tensor
cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor
cpu: module
cross(input, other, dim=None, *, out=None) -> Tensor
crow_indices_copy(input)
ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False)
cuda: module
cudnn_affine_grid_generator(theta, N, C, H, W)
cudnn_batch_norm(input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon)
cudnn_convolution(input, weight, padding, stride, dilation, groups, benchmark, deterministic, allow_tf32)
cudnn_convolution_add_relu(input, weight, z, alpha, bias, stride, padding, dilation, groups)
cudnn_convolution_relu(input, weight, bias, stride, padding, dilation, groups)
cudnn_convolution_transpose(input, weight, padding, output_padding, stride, dilation, groups, benchmark, deterministic, allow_tf32)
cudnn_grid_sampler(input, grid)
cudnn_is_acceptable(input)
cummax(input, dim, *, out=None)
cummin(input, dim, *, out=None)
cumprod(input, dim, *, dtype=None, out=None) -> Tensor
cumsum(input, dim, *, dtype=None, out=None) -> Tensor
cumulative_trapezoid(y, x=None, *, dx=None, dim=-1) -> Tensor
default_generator: Generator
deg2rad(input, *, out=None) -> Tensor
deg2rad_(input, *, out=None) -> Tensor
dequantize(tensor) -> Tensor
det(input) -> Tensor
detach(input)
detach_(input)
detach_copy(input)
device(a)
diag(input, diagonal=0, *, out=None) -> Tensor
diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor
diagflat(input, offset=0) -> Tensor
diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor
diagonal_copy(input, offset=0, dim1=0, dim2=1)
diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor
diff(input, n=1, dim=-1, prepend=None, append=None) -> Tensor
digamma(input, *, out=None) -> Tensor
dist(input, other, p=2) -> Tensor
distributed: module
distributions: module
div(input, other, *, rounding_mode=None, out=None) -> Tensor
divide(input, other, *, rounding_mode=None, out=None) -> Tensor
dot(input, tensor, *, out=None) -> Tensor
double: dtype
dropout(input, p, train)
dropout_(input, p, train)
dsmm(...)
dsplit(input, indices_or_sections) -> List
dstack(tensors, *, out=None) -> Tensor
dtype()
e: float
eig(eigenvectors=False, *, e=None, v=None)
einsum(equation, *operands) -> Tensor
embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)
embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False)
embedding_renorm_(input, indices, max_norm, norm_type)
empty(*size, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, memory_format=torch.contiguous_format) -> Tensor
empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor
empty_quantized(size, qtensor, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)
empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor
enable_grad(orig_func=None)
eq(input, other, *, out=None) -> Tensor
equal(input, other) -> bool
erf(input, *, out=None) -> Tensor
erf_(input, *, out=None) -> Tensor
erfc(input, *, out=None) -> Tensor
erfc_(input, *, out=None) -> Tensor
erfinv(input, *, out=None) -> Tensor
exp(input, *, out=None) -> Tensor
exp2(input, *, out=None) -> Tensor
exp2_(input, *, out=None) -> Tensor
exp_(input, *, out=None) -> Tensor
expand_copy(input, size, implicit=False)
expm1(input, *, out=None) -> Tensor
expm1_(input, *, out=None) -> Tensor
export: module
eye(n, m=None, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max) -> Tensor
fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max) -> Tensor
fbgemm_linear_fp16_weight(input, packed_weight, bias)
fbgemm_linear_fp16_weight_fp32_activation(input, packed_weight, bias)
fbgemm_linear_int8_weight(input, weight, packed, col_offsets, weight_scale, weight_zero_point, bias)
fbgemm_linear_int8_weight_fp32_activation(input, weight, packed, col_offsets, weight_scale, weight_zero_point, bias)
fbgemm_linear_quantize_weight(input)
fbgemm_pack_gemm_matrix_fp16(input)
fbgemm_pack_quantized_matrix(input)
feature_alpha_dropout(input, p, train)
feature_alpha_dropout_(input, p, train)
feature_dropout(input, p, train)
feature_dropout_(input, p, train)
fft: module
fill(input, value)
fill_(input, value)
finfo(...)
fix(input, *, out=None) -> Tensor
fix_(input, *, out=None) -> Tensor
flatten(input, start_dim=0, end_dim=-1) -> Tensor
flip(input, dims) -> Tensor
fliplr(input) -> Tensor
flipud(input) -> Tensor
float: dtype
float16: dtype
float32: dtype
float4_e2m1fn_x2: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
float_power(input, exponent, *, out=None) -> Tensor
floor(input, *, out=None) -> Tensor
floor_(input, *, out=None) -> Tensor
floor_divide(input, other, *, out=None) -> Tensor
fmax(input, other, *, out=None) -> Tensor
fmin(input, other, *, out=None) -> Tensor
fmod(input, other, *, out=None) -> Tensor
fork(*args, **kwargs) -> torch._C.Future
frac(input, *, out=None) -> Tensor
frac_(input, *, out=None) -> Tensor
frexp(input, *, out=None)
frobenius_norm(input, dim, keepdim=False)
from_dlpack(ext_tensor) -> Tensor
from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False)
from_numpy(ndarray) -> Tensor
frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor
full(size, fill_value, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
full_like(input, fill_value, \\*, dtype=None, layout=torch.strided, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
func: module
functional: module
fused_moving_avg_obs_fake_quant(input, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant=False, symm…
futures: module
fx: module
gather(input, dim, index, *, sparse_grad=False, out=None) -> Tensor
gcd(input, other, *, out=None) -> Tensor
gcd_(input, other, *, out=None) -> Tensor
ge(input, other, *, out=None) -> Tensor
geqrf(input, *, out=None)
ger(input, vec2, *, out=None) -> Tensor
get_autocast_cpu_dtype(...)
get_autocast_dtype(device_type)
get_autocast_gpu_dtype(...)
get_autocast_ipu_dtype(...)
get_autocast_xla_dtype(...)
get_default_device()
get_default_dtype() -> torch.dtype
get_deterministic_debug_mode()
get_device(input)
get_device_module(device=None)
get_file_path(*path_components)
get_float32_matmul_precision()
get_num_interop_threads() -> int
get_num_threads() -> int
get_rng_state()
gradient(input, *, spacing=1, dim=None, edge_order=1) -> List
greater(input, other, *, out=None) -> Tensor
greater_equal(input, other, *, out=None) -> Tensor
grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners)
group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True)
gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)
gt(input, other, *, out=None) -> Tensor
half: dtype
hamming_window(window_length, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False) -> Tensor
hann_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
hardshrink(input, lambd=0.5) -> Tensor
has_lapack: bool
has_mkl: bool
has_openmp: bool
has_spectral: bool
hash_tensor(input, *, mode=0) -> Tensor
heaviside(input, values, *, out=None) -> Tensor
hinge_embedding_loss(input, target, margin=1.0, reduction=1)
histc(input, bins=100, min=0, max=0, *, out=None) -> Tensor
histogram(input, bins, *, range=None, weight=None, density=False, out=None)
histogramdd(input, bins, *, range=None, weight=None, density=False, out=None)
hsmm(...)
hsplit(input, indices_or_sections) -> List
hspmm(mat1, mat2, *, out=None) -> Tensor
hstack(tensors, *, out=None) -> Tensor
hub: module
hypot(input, other, *, out=None) -> Tensor
i0(input, *, out=None) -> Tensor
i0_(input, *, out=None) -> Tensor
igamma(input, other, *, out=None) -> Tensor
igammac(input, other, *, out=None) -> Tensor
iinfo(...)
imag(input) -> Tensor
import_ir_module(arg0: torch._C.CompilationUnit, arg1: str, arg2: object, arg3: dict, arg4: bool) -> torch._C.ScriptModule
import_ir_module_from_buffer(arg0: torch._C.CompilationUnit, arg1: str, arg2: object, arg3: dict, arg4: bool) -> torch._C.ScriptModule
index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Union[Number, _complex] = 1, out: Optional[Tensor]) -> Tensor
index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Optional[Tensor]) -> Tensor
index_fill(input, dim, index, value)
index_put(input, indices, values, accumulate=False)
index_put_(input, indices, values, accumulate=False)
index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True, out: Optional[Tensor]) -> Tensor
index_select(input, dim, index, *, out=None) -> Tensor
indices_copy(input)
inf: float
inference_mode(mode=True)
init_num_threads() -> None
initial_seed()
inner(input, other, *, out=None) -> Tensor
instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)
int: dtype
int1: dtype
int16: dtype
int2: dtype
int3: dtype
int32: dtype
int4: dtype
int5: dtype
int6: dtype
int64: dtype
int7: dtype
int8: dtype
int_repr(input)
inverse(input, *, out=None) -> Tensor
is_anomaly_check_nan_enabled(...)
is_anomaly_enabled(...)
is_autocast_cache_enabled(...)
is_autocast_cpu_enabled()
is_autocast_enabled()
is_autocast_ipu_enabled(...)
is_autocast_xla_enabled(...)
is_complex(input: Tensor) -> bool
is_conj(input)
is_deterministic_algorithms_warn_only_enabled()
is_distributed(input)
is_floating_point(input: Tensor) -> bool
is_grad_enabled()
is_inference(input)
is_inference_mode_enabled()
is_neg(input)
is_nonzero(input)
is_same_size(input, other)
is_signed(input)
is_storage(obj)
is_tensor(obj)
is_vulkan_available()
is_warn_always_enabled()
isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor
isfinite(input) -> Tensor
isin(elements, test_elements, *, assume_unique=False, invert=False) -> Tensor
isinf(input) -> Tensor
isnan(input) -> Tensor
isneginf(input, *, out=None) -> Tensor
isposinf(input, *, out=None) -> Tensor
isreal(input) -> Tensor
istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False) -> Tensor
jagged: layout
jit: module
kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
kl_div(input, target, reduction=1, log_target=False)
kron(input, other, *, out=None) -> Tensor
kthvalue(input, k, dim=None, keepdim=False, *, out=None)
layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True)
layout()
lcm(input, other, *, out=None) -> Tensor
lcm_(input, other, *, out=None) -> Tensor
ldexp(input, other, *, out=None) -> Tensor
ldexp_(input, other, *, out=None) -> Tensor
le(input, other, *, out=None) -> Tensor
legacy_contiguous_format: memory_format
lerp(input, end, weight, *, out=None)
less(input, other, *, out=None) -> Tensor
less_equal(input, other, *, out=None) -> Tensor
lgamma(input, *, out=None) -> Tensor
library: module
linalg: module
linspace(start, end, steps, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
load(f, map_location=None, pickle_module=pickle, *, weights_only=True, mmap=None, **pickle_load_args)
lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bpara…
log(input, *, out=None) -> Tensor
log10(input: Tensor, *, out: Optional[Tensor]) -> Tensor
log10_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
log1p(input, *, out=None) -> Tensor
log1p_(input, *, out=None) -> Tensor
log2(input: Tensor, *, out: Optional[Tensor]) -> Tensor
log2_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
log_(input, *, out=None) -> Tensor
log_softmax(input, dim, dtype=None)
logaddexp(input, other, *, out=None) -> Tensor
logaddexp2(input, other, *, out=None) -> Tensor
logcumsumexp(input, dim, *, out=None) -> Tensor
logdet(input) -> Tensor
logical_and(input, other, *, out=None) -> Tensor
logical_not(input, *, out=None) -> Tensor
logical_or(input, other, *, out=None) -> Tensor
logical_xor(input: Tensor, other: Tensor, *, out: Optional[Tensor]) -> Tensor
logit(input, eps=None, *, out=None) -> Tensor
logit_(input, eps=None, *, out=None) -> Tensor
logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
logsumexp(input, dim, keepdim=False, *, out=None)
long: dtype
lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)
lstsq(input, A, *, out=None)
lt(input, other, *, out=None) -> Tensor
lu(*args, **kwargs)
lu_solve(b, LU_data, LU_pivots, *, out=None) -> Tensor
lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None)
manual_seed(seed)
margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1)
masked: module
masked_fill(input, mask, value)
masked_scatter(input, mask, source)
masked_select(input, mask, *, out=None) -> Tensor
matmul(input, other, *, out=None) -> Tensor
matrix_exp(A) -> Tensor
matrix_power(input, n, *, out=None) -> Tensor
matrix_rank(input, tol=None, symmetric=False, *, out=None)
max(input, *, out=None) -> Tensor
max_pool1d(input, kernel_size, stride=[], padding=[0], dilation=[1], ceil_mode=False)
max_pool1d_with_indices(input, kernel_size, stride=[], padding=[0], dilation=[1], ceil_mode=False)
max_pool2d(input, kernel_size, stride=[], padding=[0, 0], dilation=[1, 1], ceil_mode=False)
max_pool3d(input, kernel_size, stride=[], padding=[0, 0, 0], dilation=[1, 1, 1], ceil_mode=False)
maximum(input, other, *, out=None) -> Tensor
mean(input, *, dtype=None) -> Tensor
median(input) -> Tensor
memory_format()
merge_type_from_type_comment(arg0: torch._C._jit_tree_views.Decl, arg1: torch._C._jit_tree_views.Decl, arg2: bool) -> torch._C._jit_tree_views.Decl
meshgrid(*tensors, indexing=None)
min(input, *, out=None) -> Tensor
minimum(input, other, *, out=None) -> Tensor
miopen_batch_norm(input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon)
miopen_convolution(input, weight, bias, padding, stride, dilation, groups, benchmark, deterministic)
miopen_convolution_add_relu(input, weight, z, alpha, bias, stride, padding, dilation, groups)
miopen_convolution_relu(input, weight, bias, stride, padding, dilation, groups)
miopen_convolution_transpose(input, weight, bias, padding, output_padding, stride, dilation, groups, benchmark, deterministic)
miopen_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, deterministic, zero_infinity)
miopen_depthwise_convolution(input, weight, bias, padding, stride, dilation, groups, benchmark, deterministic)
miopen_rnn(input, weight, weight_stride0, hx, cx, mode, hidden_size, num_layers, batch_first, dropout, train, bidirectional, batch_sizes, dropout_state)
mkldnn_adaptive_avg_pool2d(input, output_size)
mkldnn_convolution(input, weight, bias, padding, stride, dilation, groups)
mkldnn_linear_backward_weights(grad_output, input, weight, bias_defined)
mkldnn_max_pool2d(input, kernel_size, stride=[], padding=[0, 0], dilation=[1, 1], ceil_mode=False)
mkldnn_max_pool3d(input, kernel_size, stride=[], padding=[0, 0, 0], dilation=[1, 1, 1], ceil_mode=False)
mkldnn_rnn_layer(input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, batch_sizes, mode, hidden_size, num_layers, has_biases, bidirectional, batch_first, train)
mm(input, mat2, *, out=None) -> Tensor
mode(input, dim=-1, keepdim=False, *, out=None)
monitor: module
moveaxis(input, source, destination) -> Tensor
movedim(input, source, destination) -> Tensor
mps: module
msort(input: Tensor, *, out: Optional[Tensor]) -> Tensor
mtia: module
mul(input, other, *, out=None) -> Tensor
multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> LongTensor
multiply(input, other, *, out=None)
multiprocessing: module
mv(input, vec, *, out=None) -> Tensor
mvlgamma(input, p, *, out=None) -> Tensor
nan: float
nan_to_num(input, nan=0.0, posinf=None, neginf=None, *, out=None) -> Tensor
nan_to_num_(input, nan=0.0, posinf=None, neginf=None, *, out=None) -> Tensor
nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None) -> Tensor
nanmedian(input) -> Tensor
nanquantile(input, q, dim=None, keepdim=False, *, interpolation='linear', out=None) -> Tensor
nansum(input, *, dtype=None) -> Tensor
narrow(input, dim, start, length) -> Tensor
narrow_copy(input, dim, start, length, *, out=None) -> Tensor
native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
native_channel_shuffle(input, groups) -> Tensor
native_dropout(input, p, train)
native_group_norm(input, weight, bias, N, C, HxW, group, eps)
native_layer_norm(input, normalized_shape, weight, bias, eps)
native_norm(input, p=2)
ne(input, other, *, out=None) -> Tensor
neg(input, *, out=None) -> Tensor
neg_(input, *, out=None) -> Tensor
negative(input, *, out=None) -> Tensor
negative_(input, *, out=None) -> Tensor
nested: module
newaxis: NoneType
nextafter(input, other, *, out=None) -> Tensor
nn: module
no_grad()
nonzero(input, *, out=None, as_tuple=False) -> LongTensor
nonzero_static(input, *, size, fill_value=-1) -> Tensor
norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None)
norm_except_dim(v, pow=2, dim=0)
normal(mean, std, *, generator=None, out=None) -> Tensor
not_equal(input, other, *, out=None) -> Tensor
nuclear_norm(input, keepdim=False)
numel(input: Tensor) -> int
ones(*size, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
ops: module
optim: module
orgqr(input, tau) -> Tensor
ormqr(input, tau, other, left=True, transpose=False, *, out=None) -> Tensor
outer(input, vec2, *, out=None) -> Tensor
overrides: module
package: module
pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False) -> Tensor
parse_ir(input: str, parse_tensor_constants: bool = False) -> torch
parse_schema(schema: str, allow_typevars: bool = True) -> c10
parse_type_comment(arg0: str) -> torch._C._jit_tree_views.Decl
pca_lowrank(A, q=None, center=True, niter=2)
pdist(input, p=2) -> Tensor
per_channel_affine: qscheme
per_channel_affine_float_qparams: qscheme
per_channel_symmetric: qscheme
per_tensor_affine: qscheme
per_tensor_symmetric: qscheme
permute(input, dims) -> Tensor
permute_copy(input, dims)
pi: float
pinverse(input, rcond=1e-15) -> Tensor
pixel_shuffle(input, upscale_factor) -> Tensor
pixel_unshuffle(input, downscale_factor) -> Tensor
poisson(input, generator=None) -> Tensor
poisson_nll_loss(input, target, log_input, full, eps, reduction)
polar(abs, angle, *, out=None) -> Tensor
polygamma(n, input, *, out=None) -> Tensor
positive(input) -> Tensor
pow(input, exponent, *, out=None) -> Tensor
prelu(input, weight) -> Tensor
prepare_multiprocessing_environment(path)
preserve_format: memory_format
prod(input: Tensor, *, dtype: Optional[_dtype]) -> Tensor
profiler: module
profiler_allow_cudagraph_cupti_lazy_reinit_cuda12()
promote_types(type1, type2) -> dtype
put(input, index, source, accumulate=False)
q_per_channel_axis(input)
q_per_channel_scales(input)
q_per_channel_zero_points(input)
q_scale(input)
q_zero_point(input)
qint32: dtype
qint8: dtype
qr(input: Tensor, some: bool = True, *, out: Union[Tensor, Tuple[Tensor, ...], List[Tensor], None])
qscheme()
quantile(input, q, dim=None, keepdim=False, *, interpolation='linear', out=None) -> Tensor
quantization: module
quantize_per_channel(input, scales, zero_points, axis, dtype) -> Tensor
quantize_per_tensor(input, scale, zero_point, dtype) -> Tensor
quantize_per_tensor_dynamic(input, dtype, reduce_range) -> Tensor
quantized_batch_norm(input, weight=None, bias=None, mean, var, eps, output_scale, output_zero_point) -> Tensor
quantized_gru(*args, **kwargs)
quantized_gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih, col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_lstm(*args, **kwargs)
quantized_lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih, col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_max_pool1d(input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False) -> Tensor
quantized_max_pool2d(input, kernel_size, stride=[], padding=0, dilation=1, ceil_mode=False) -> Tensor
quantized_max_pool3d(input, kernel_size, stride=[], padding=[0, 0, 0], dilation=[1, 1, 1], ceil_mode=False)
quantized_rnn_relu_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih, col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih, col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quasirandom: module
quint2x4: dtype
quint4x2: dtype
quint8: dtype
rad2deg(input: Tensor, *, out: Optional[Tensor]) -> Tensor
rad2deg_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
rand(*size, *, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False) -> Tensor
rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
randint(low=0, high, size, \\*, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
randint_like(input, low=0, high, \\*, generator=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
randn(*size, *, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False) -> Tensor
randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
random: module
randperm(n, *, generator=None, out=None, dtype=torch.int64,layout=torch.strided, device=None, requires_grad=False, pin_memory=False) -> Tensor
range(start=0, end, step=1, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
ravel(input) -> Tensor
real(input) -> Tensor
reciprocal(input, *, out=None) -> Tensor
reciprocal_(input, *, out=None) -> Tensor
relu(input)
relu_(input) -> Tensor
remainder(input, other, *, out=None) -> Tensor
renorm(input, p, dim, maxnorm, *, out=None) -> Tensor
repeat_interleave(input, repeats, dim=None, *, output_size=None) -> Tensor
reshape(input, shape) -> Tensor
resize_as_(input, the_template, memory_format=None)
resize_as_sparse_(input, the_template)
resolve_conj(input) -> Tensor
resolve_neg(input) -> Tensor
result_type(tensor1, tensor2) -> dtype
return_types: module
rms_norm(input, normalized_shape, weight=None, eps=None)
rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)
rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None)
roll(input, shifts, dims=None) -> Tensor
rot90(input, k=1, dims=(0, 1)) -> Tensor
round(input, *, decimals=0, out=None) -> Tensor
round_(input, *, decimals=0, out=None) -> Tensor
row_indices_copy(input)
row_stack(tensors, *, out=None) -> Tensor
rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None)
rrelu_(input, lower=1./8, upper=1./3, training=False) -> Tensor
rsqrt(input, *, out=None) -> Tensor
rsqrt_(input, *, out=None) -> Tensor
rsub(input, other, alpha=1)
saddmm(...)
save(obj, f, pickle_module=pickle, pickle_protocol=2, _use_new_zipfile_serialization=True)
scalar_tensor(s, dtype=None, layout=None, device=None, pin_memory=None)
scatter(input, dim, index, src) -> Tensor
scatter_add(input, dim, index, src) -> Tensor
scatter_reduce(input, dim, index, src, reduce, *, include_self=True) -> Tensor
searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, out=None, sorter=None) -> Tensor
seed()
segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: _int = 0, unsafe: _bool = Fal…
select(input, dim, index) -> Tensor
select_copy(input, dim, index)
select_scatter(input, src, dim, index) -> Tensor
selu(input)
selu_(input) -> Tensor
serialization: module
set_anomaly_enabled(...)
set_autocast_cache_enabled(...)
set_autocast_cpu_dtype(...)
set_autocast_cpu_enabled(...)
set_autocast_dtype(...)
set_autocast_enabled(...)
set_autocast_gpu_dtype(...)
set_autocast_ipu_dtype(...)
set_autocast_ipu_enabled(...)
set_autocast_xla_dtype(...)
set_autocast_xla_enabled(...)
set_default_device(device)
set_default_dtype(d)
set_default_tensor_type(t)
set_deterministic_debug_mode(debug_mode)
set_float32_matmul_precision(precision)
set_flush_denormal(mode) -> bool
set_grad_enabled(mode)
set_num_interop_threads(int)
set_num_threads(int)
set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None)
set_rng_state(new_state)
set_warn_always(b)
sgn(input, *, out=None) -> Tensor
short: dtype
sigmoid(input, *, out=None) -> Tensor
sigmoid_(input, *, out=None) -> Tensor
sign(input, *, out=None) -> Tensor
signal: module
signbit(input, *, out=None) -> Tensor
sin(input, *, out=None) -> Tensor
sin_(input, *, out=None) -> Tensor
sinc(input, *, out=None) -> Tensor
sinc_(input, *, out=None) -> Tensor
sinh(input, *, out=None) -> Tensor
sinh_(input, *, out=None) -> Tensor
slice_copy(input, dim=0, start=None, end=None, step=1)
slice_inverse(input, src, dim=0, start=None, end=None, step=1)
slice_scatter(input, src, dim=0, start=None, end=None, step=1) -> Tensor
slogdet(input)
smm(input, mat) -> Tensor
softmax(input, dim, *, dtype=None) -> Tensor
solve(input, A, *, out=None)
sort(input, dim=-1, descending=False, *, stable=False, out=None)
sparse: module
sparse_bsc: layout
sparse_bsc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None) -> Tensor
sparse_bsr: layout
sparse_bsr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None) -> Tensor
sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None) -…
sparse_coo: layout
sparse_coo_tensor(indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None, is_coalesced=None) -> Tensor
sparse_csc: layout
sparse_csc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None) -> Tensor
sparse_csr: layout
sparse_csr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None) -> Tensor
special: module
split(tensor, split_size_or_sections, dim=0)
split_copy(input, split_size, dim=0)
split_with_sizes(input, split_sizes, dim=0)
split_with_sizes_copy(input, split_sizes, dim=0)
spmm(...)
sqrt(input, *, out=None) -> Tensor
sqrt_(input, *, out=None) -> Tensor
square(input: Tensor, *, out: Optional[Tensor]) -> Tensor
square_(input: Tensor, *, out: Optional[Tensor]) -> Tensor
squeeze(input: Tensor, dim: Optional[Union[int, List[int]]]) -> Tensor
squeeze_copy(input)
sspaddmm(input, mat1, mat2, *, beta=1, alpha=1, out=None) -> Tensor
stack(tensors, dim=0, *, out=None) -> Tensor
std(input, dim=None, *, correction=1, keepdim=False, out=None) -> Tensor
std_mean(input, dim=None, *, correction=1, keepdim=False, out=None)
stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_w…
storage: module
strided: layout
sub(input, other, *, alpha=1, out=None) -> Tensor
subtract(input, other, *, alpha=1, out=None) -> Tensor
sum(input, *, dtype=None) -> Tensor
svd(input, some=True, compute_uv=True, *, out=None)
svd_lowrank(A, q=6, niter=2, M=None)
swapaxes(input, axis0, axis1) -> Tensor
swapdims(input, dim0, dim1) -> Tensor
sym_constrain_range(size, min=None, max=None)
sym_constrain_range_for_size(size, min=None, max=None)
sym_float(a)
sym_fresh_size(expr)
sym_int(a)
sym_ite(b, t, f)
sym_max(a, b)
sym_min(a, b)
sym_not(a)
sym_sqrt(a)
sym_sum(*args)
symeig(input, eigenvectors=False, upper=True, *, out=None)
t(input) -> Tensor
t_copy(input)
take(input, index) -> Tensor
take_along_dim(input, indices, dim=None, *, out=None) -> Tensor
tan(input, *, out=None) -> Tensor
tan_(input, *, out=None) -> Tensor
tanh(input, *, out=None) -> Tensor
tanh_(input, *, out=None) -> Tensor
tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor
tensor_split(input, indices_or_sections, dim=0) -> List
tensordot(a, b, dims=2, out=None)
testing: module
thread_safe_generator()
threshold(input, threshold, value)
threshold_(input, threshold, value) -> Tensor
tile(input, dims) -> Tensor
to_dlpack(tensor) -> PyCapsule
topk(input, k, dim=None, largest=True, sorted=True, *, out=None)
torch_version: module
trace(input) -> Tensor
transpose(input, dim0, dim1) -> Tensor
transpose_copy(input, dim0, dim1)
trapezoid(y, x=None, *, dx=None, dim=-1) -> Tensor
trapz(y, x=None, *, dim=-1) -> Tensor
triangular_solve(b, A, upper=True, transpose=False, unitriangular=False, *, out=None)
tril(input, diagonal=0, *, out=None) -> Tensor
tril_indices(row, col, offset=0, *, dtype=torch.long, device='cpu', layout=torch.strided) -> Tensor
triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=1)
triu(input, diagonal=0, *, out=None) -> Tensor
triu_indices(row, col, offset=0, *, dtype=torch.long, device='cpu', layout=torch.strided) -> Tensor
true_divide(dividend, divisor, *, out) -> Tensor
trunc(input, *, out=None) -> Tensor
trunc_(input, *, out=None) -> Tensor
typename(obj)
types: module
uint1: dtype
uint16: dtype
uint2: dtype
uint3: dtype
uint32: dtype
uint4: dtype
uint5: dtype
uint6: dtype
uint64: dtype
uint7: dtype
uint8: dtype
unbind(input, dim=0) -> seq
unbind_copy(input, dim=0)
unflatten(input, dim, sizes) -> Tensor
unfold_copy(input, dimension, size, step)
unify_type_list(arg0: collections.abc.Sequence[c10::Type]) -> c10
unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> tuple[Tensor, Tensor, Tensor]
unique_consecutive(*args, **kwargs)
unravel_index(indices, shape)
unsafe_chunk(input, chunks, dim=0) -> List
unsafe_split(tensor, split_size_or_sections, dim=0) -> List
unsafe_split_with_sizes(input, split_sizes, dim=0)
unsqueeze(input, dim) -> Tensor
unsqueeze_copy(input, dim)
use_deterministic_algorithms(mode, *, warn_only=False)
utils: module
values_copy(input)
vander(x, N=None, increasing=False) -> Tensor
var(input, dim=None, *, correction=1, keepdim=False, out=None) -> Tensor
var_mean(input, dim=None, *, correction=1, keepdim=False, out=None)
vdot(input, other, *, out=None) -> Tensor
version: module
view_as_complex(input) -> Tensor
view_as_complex_copy(input)
view_as_real(input) -> Tensor
view_as_real_copy(input)
view_copy(input, size)
vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)
vsplit(input, indices_or_sections) -> List
vstack(tensors, *, out=None) -> Tensor
wait(arg0: torch._C.Future) -> object
where(condition, input, other, *, out=None) -> Tensor
while_loop(cond_fn, body_fn, carried_inputs)
xlogy(input, other, *, out=None) -> Tensor
xlogy_(input, other, *, out=None) -> Tensor
xpu: module
zero_(input)
zeros(*size, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format) -> Tensor
@torch.nn
AdaptiveAvgPool1d(output_size)
AdaptiveAvgPool2d(output_size)
AdaptiveAvgPool3d(output_size)
AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None)
AdaptiveMaxPool1d(output_size, return_indices=False)
AdaptiveMaxPool2d(output_size, return_indices=False)
AdaptiveMaxPool3d(output_size, return_indices=False)
AlphaDropout(p=0.5, inplace=False)
AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)
AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)
BCELoss(weight=None, size_average=None, reduce=None, reduction='mean')
BCEWithLogitsLoss(weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None)
BatchNorm1d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
BatchNorm2d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
BatchNorm3d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
Bilinear(in1_features, in2_features, out_features, bias=True, device=None, dtype=None)
Buffer(data=None, *, persistent=True)
CELU(alpha=1.0, inplace=False)
CTCLoss(blank=0, reduction='mean', zero_infinity=False)
ChannelShuffle(groups)
CircularPad1d(padding)
CircularPad2d(padding)
CircularPad3d(padding)
ConstantPad1d(padding, value)
ConstantPad2d(padding, value)
ConstantPad3d(padding, value)
Container(*args, **kwargs)
Conv1d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
Conv2d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
Conv3d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
ConvTranspose1d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
ConvTranspose2d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
ConvTranspose3d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
CosineEmbeddingLoss(margin=0.0, size_average=None, reduce=None, reduction='mean')
CosineSimilarity(dim=1, eps=1e-08)
CrossEntropyLoss(weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0)
CrossMapLRN2d(size, alpha=0.0001, beta=0.75, k=1)
DataParallel(module, device_ids=None, output_device=None, dim=0)
Dropout(p=0.5, inplace=False)
Dropout1d(p=0.5, inplace=False)
Dropout2d(p=0.5, inplace=False)
Dropout3d(p=0.5, inplace=False)
ELU(alpha=1.0, inplace=False)
Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False, device=None, dtype=None)
EmbeddingBag(num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean', sparse=False, include_last_offset=False, padding_idx=None,…
FeatureAlphaDropout(p=0.5, inplace=False)
Flatten(start_dim=1, end_dim=-1)
Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)
FractionalMaxPool2d(kernel_size, output_size=None, output_ratio=None, return_indices=False)
FractionalMaxPool3d(kernel_size, output_size=None, output_ratio=None, return_indices=False)
GELU(approximate='none')
GLU(dim=-1)
GRU(*args, **kwargs)
GRUCell(input_size, hidden_size, bias=True, device=None, dtype=None)
GaussianNLLLoss(*, full=False, eps=1e-06, reduction='mean')
GroupNorm(num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True)
Hardshrink(lambd=0.5)
Hardsigmoid(inplace=False)
Hardswish(inplace=False)
Hardtanh(min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None)
HingeEmbeddingLoss(margin=1.0, size_average=None, reduce=None, reduction='mean')
HuberLoss(reduction='mean', delta=1.0)
Identity(*args, **kwargs)
InstanceNorm1d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True)
InstanceNorm2d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True)
InstanceNorm3d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True)
KLDivLoss(size_average=None, reduce=None, reduction='mean', log_target=False)
L1Loss(size_average=None, reduce=None, reduction='mean')
LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False)
LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False)
LPPool3d(norm_type, kernel_size, stride=None, ceil_mode=False)
LSTM(*args, **kwargs)
LSTMCell(input_size, hidden_size, bias=True, device=None, dtype=None)
LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None)
LazyBatchNorm1d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyBatchNorm2d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyBatchNorm3d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyConv1d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
LazyConv2d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
LazyConv3d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', device=None, dtype=None)
LazyConvTranspose1d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
LazyConvTranspose2d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
LazyConvTranspose3d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None)
LazyInstanceNorm1d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyInstanceNorm2d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyInstanceNorm3d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True)
LazyLinear(out_features, bias=True, device=None, dtype=None)
LeakyReLU(negative_slope=0.01, inplace=False)
Linear(in_features, out_features, bias=True, device=None, dtype=None)
LinearCrossEntropyLoss(in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None, reduction='mean', weight=None, ignore_index=None, label_smoothing=0.0, opti…
LinearCrossEntropyOptions(allow_retain_graph=False, batch_chunk_size=None, chunking_method='auto', acc_policy='auto', acc_dtype=None)
LocalResponseNorm(size, alpha=0.0001, beta=0.75, k=1.0)
LogSigmoid(*args, **kwargs)
LogSoftmax(dim=None)
MSELoss(size_average=None, reduce=None, reduction='mean')
MarginRankingLoss(margin=0.0, size_average=None, reduce=None, reduction='mean')
MaxPool1d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)
MaxPool2d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)
MaxPool3d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)
MaxUnpool1d(kernel_size, stride=None, padding=0)
MaxUnpool2d(kernel_size, stride=None, padding=0)
MaxUnpool3d(kernel_size, stride=None, padding=0)
Mish(inplace=False)
Module(*args, **kwargs)
ModuleDict(modules=None)
ModuleList(modules=None)
MultiLabelMarginLoss(size_average=None, reduce=None, reduction='mean')
MultiLabelSoftMarginLoss(weight=None, size_average=None, reduce=None, reduction='mean')
MultiMarginLoss(p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean')
MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None, dtype=None)
NLLLoss(weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')
NLLLoss2d(*args, **kwargs)
PReLU(num_parameters=1, init=0.25, device=None, dtype=None)
PairwiseDistance(p=2.0, eps=1e-06, keepdim=False)
Parameter(data=None, requires_grad=True)
ParameterDict(parameters=None)
ParameterList(values=None)
PixelShuffle(upscale_factor)
PixelUnshuffle(downscale_factor)
PoissonNLLLoss(log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean')
RMSNorm(normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None)
RNN(*args, **kwargs)
RNNBase(mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None)
RNNCell(input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None)
RNNCellBase(input_size, hidden_size, bias, num_chunks, device=None, dtype=None)
RReLU(lower=0.125, upper=0.3333333333333333, inplace=False)
ReLU(inplace=False)
ReLU6(inplace=False)
ReflectionPad1d(padding)
ReflectionPad2d(padding)
ReflectionPad3d(padding)
ReplicationPad1d(padding)
ReplicationPad2d(padding)
ReplicationPad3d(padding)
SELU(inplace=False)
Sequential(*args)
SiLU(inplace=False)
Sigmoid(*args, **kwargs)
SmoothL1Loss(size_average=None, reduce=None, reduction='mean', beta=1.0)
SoftMarginLoss(size_average=None, reduce=None, reduction='mean')
Softmax(dim=None)
Softmax2d(*args, **kwargs)
Softmin(dim=None)
Softplus(beta=1.0, threshold=20.0)
Softshrink(lambd=0.5)
Softsign(*args, **kwargs)
SyncBatchNorm(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, process_group=None, device=None, dtype=None, *, bias=True)
Tanh(*args, **kwargs)
Tanhshrink(*args, **kwargs)
Threshold(threshold, value, inplace=False)
Transformer(d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, activation=..., custom_encoder=None, custom_decoder=None,…
TransformerDecoder(decoder_layer, num_layers, norm=None)
TransformerDecoderLayer(d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=..., layer_norm_eps=1e-05, batch_first=False, norm_first=False, bias=True, device=None, dtype=No…
TransformerEncoder(encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True)
TransformerEncoderLayer(d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=..., layer_norm_eps=1e-05, batch_first=False, norm_first=False, bias=True, device=None, dtype=No…
TripletMarginLoss(margin=1.0, p=2.0, eps=1e-06, swap=False, size_average=None, reduce=None, reduction='mean')
TripletMarginWithDistanceLoss(*, distance_function=None, margin=1.0, swap=False, reduction='mean')
Unflatten(dim, unflattened_size)
Unfold(kernel_size, dilation=1, padding=0, stride=1)
UninitializedBuffer(requires_grad=False, device=None, dtype=None, persistent=True)
UninitializedParameter(requires_grad=True, device=None, dtype=None)
Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None)
UpsamplingBilinear2d(size=None, scale_factor=None)
UpsamplingNearest2d(size=None, scale_factor=None)
ZeroPad1d(padding)
ZeroPad2d(padding)
ZeroPad3d(padding)
attention: module
common_types: module
factory_kwargs(kwargs)
functional: module
grad: module
init: module
intrinsic: module
modules: module
parallel: module
parameter: module
qat: module
quantizable: module
quantized: module
utils: module
@torch.nn.functional
BroadcastingList1: BroadcastingListCls
BroadcastingList2: BroadcastingListCls
BroadcastingList3: BroadcastingListCls
GRID_SAMPLE_INTERPOLATION_MODES: dict
GRID_SAMPLE_PADDING_MODES: dict
TYPE_CHECKING: bool
Tensor(...)
adaptive_avg_pool1d(input, output_size) -> Tensor
adaptive_avg_pool2d(input, output_size)
adaptive_avg_pool3d(input, output_size)
adaptive_max_pool1d(input, output_size, return_indices=False)
adaptive_max_pool1d_with_indices(input, output_size, return_indices=False)
adaptive_max_pool2d(input, output_size, return_indices=False)
adaptive_max_pool2d_with_indices(input, output_size, return_indices=False)
adaptive_max_pool3d(input, output_size, return_indices=False)
adaptive_max_pool3d_with_indices(input, output_size, return_indices=False)
affine_grid(theta, size, align_corners=None)
alpha_dropout(input, p=0.5, training=False, inplace=False)
assert_int_or_pair(arg, arg_name, message)
avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor
avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> Tensor
avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> Tensor
batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)
bilinear(input1, input2, weight, bias=None) -> Tensor
binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction='mean')
binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None)
boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name)
celu(input, alpha=1., inplace=False) -> Tensor
celu_(input, alpha=1.) -> Tensor
channel_shuffle(input, groups) -> Tensor
conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor
conv_tbc(input, weight, bias, pad=0)
conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor
cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')
cosine_similarity(x1, x2, dim=1, eps=1e-8) -> Tensor
cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0)
ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)
dropout(input, p=0.5, training=True, inplace=False)
dropout1d(input, p=0.5, training=True, inplace=False)
dropout2d(input, p=0.5, training=True, inplace=False)
dropout3d(input, p=0.5, training=True, inplace=False)
elu(input, alpha=1.0, inplace=False)
elu_(input, alpha=1.) -> Tensor
embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)
embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', sparse=False, per_sample_weights=None, include_last_offset=Fal…
feature_alpha_dropout(input, p=0.5, training=False, inplace=False)
fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)
fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None)
fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False)
fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None)
fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False)
gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction='mean')
gelu(input, approximate = 'none') -> Tensor
glu(input, dim=-1) -> Tensor
grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)
group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)
grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None)
gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1)
handle_torch_function(public_api, relevant_args, *args, **kwargs)
hardshrink(input, lambd=0.5) -> Tensor
hardsigmoid(input, inplace=False)
hardswish(input, inplace=False)
hardtanh(input, min_val=-1., max_val=1., inplace=False) -> Tensor
hardtanh_(input, min_val=-1., max_val=1.) -> Tensor
has_torch_function()
has_torch_function_unary(...)
has_torch_function_variadic(...)
hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction='mean')
huber_loss(input, target, reduction='mean', delta=1.0, weight=None)
instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05)
interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None, antialias=False)
kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)
l1_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)
layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)
leaky_relu(input, negative_slope=0.01, inplace=False) -> Tensor
leaky_relu_(input, negative_slope=0.01) -> Tensor
linear(input, weight, bias=None) -> Tensor
linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction='mean', ignore_index=None, label_smoothing=0.0, options=None)
local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0)
log_softmax(input, dim=None, dtype=None)
logsigmoid(input) -> Tensor
lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False)
lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False)
lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False)
margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean')
max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)
max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None)
mish(input, inplace=False)
mse_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)
multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, trai…
multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction='mean')
multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')
multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction='mean')
native_channel_shuffle(input, groups) -> Tensor
nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')
normalize(input, p=2.0, dim=1, eps=1e-12, out=None)
one_hot(tensor, num_classes=-1) -> LongTensor
pad(input, pad, mode="constant", value=None) -> Tensor
pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False) -> Tensor
pdist(input, p=2) -> Tensor
pixel_shuffle(input, upscale_factor) -> Tensor
pixel_unshuffle(input, downscale_factor) -> Tensor
poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean')
prelu(input, weight) -> Tensor
relu(input, inplace=False) -> Tensor
relu6(input, inplace=False) -> Tensor
relu_(input) -> Tensor
reproducibility_notes: dict
rms_norm(input, normalized_shape, weight=None, eps=None)
rrelu(input, lower=1./8, upper=1./3, training=False, inplace=False) -> Tensor
rrelu_(input, lower=1./8, upper=1./3, training=False) -> Tensor
scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False) -> Tensor
scaled_grouped_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a, swizzle_b, bias, offs, output_dtype, use_fast_accum)
scaled_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a, swizzle_b, bias, output_dtype, contraction_dim, use_fast_accum)
selu(input, inplace=False) -> Tensor
selu_(input) -> Tensor
sigmoid(input) -> Tensor
silu(input, inplace=False)
smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)
soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')
softmax(input, dim=None, dtype=None)
softmin(input, dim=None, dtype=None)
softplus(input, beta=1, threshold=20) -> Tensor
softshrink(input, lambd=0.5) -> Tensor
softsign(input) -> Tensor
sparse_support_notes: dict
tanh(input) -> Tensor
tanhshrink(input) -> Tensor
tf32_notes: dict
threshold(input, threshold, value, inplace=False)
threshold_(input, threshold, value) -> Tensor
triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, reduction='mean')
triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction='mean')
unfold(input, kernel_size, dilation=1, padding=0, stride=1)
upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None)
upsample_bilinear(input, size=None, scale_factor=None)
upsample_nearest(input, size=None, scale_factor=None)
@torch.nn.init
Tensor(...)
calculate_gain(nonlinearity, param=None)
constant(*args, **kwargs)
constant_(tensor, val)
dirac(*args, **kwargs)
dirac_(tensor, groups=1)
eye(*args, **kwargs)
eye_(tensor)
kaiming_normal(*args, **kwargs)
kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)
kaiming_uniform(*args, **kwargs)
kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)
normal(*args, **kwargs)
normal_(tensor, mean=0.0, std=1.0, generator=None)
ones_(tensor)
orthogonal(*args, **kwargs)
orthogonal_(tensor, gain=1, generator=None)
sparse(*args, **kwargs)
sparse_(tensor, sparsity, std=0.01, generator=None)
trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None)
uniform(*args, **kwargs)
uniform_(tensor, a=0.0, b=1.0, generator=None)
xavier_normal(*args, **kwargs)
xavier_normal_(tensor, gain=1.0, generator=None)
xavier_uniform(*args, **kwargs)
xavier_uniform_(tensor, gain=1.0, generator=None)
zeros_(tensor)
@torch.nn.utils
clip_grad: module
clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)
clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)
clip_grad_value_(parameters, clip_value, foreach=None)
clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None)
convert_conv2d_weight_memory_format(module, memory_format)
convert_conv3d_weight_memory_format(module, memory_format)
convert_parameters: module
fuse_conv_bn_eval(conv, bn, transpose=False)
fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False)
fuse_linear_bn_eval(linear, bn)
fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
fusion: module
get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None)
init: module
memory_format: module
parameters_to_vector(parameters)
parametrizations: module
parametrize: module
remove_spectral_norm(module, name='weight')
remove_weight_norm(module, name='weight')
rnn: module
skip_init(module_cls, *args, **kwargs)
spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None)
stateless: module
vector_to_parameters(vec, parameters)
weight_norm(module, name='weight', dim=0)
@torch.autograd
Function(*args, **kwargs)
NestedIOFunction(*args, **kwargs)
anomaly_mode: module
backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None)
detect_anomaly(check_nan=True)
enable_grad(orig_func=None)
enforce_grad_layout_policy(enable=True)
forward_ad: module
function: module
functional: module
grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=Fals…
grad_mode: module
gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_gr…
gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0, check_undefine…
graph: module
handle_torch_function(public_api, relevant_args, *args, **kwargs)
has_torch_function()
inference_mode(mode=True)
is_multithreading_enabled(...)
is_tensor_like(inp)
is_view_replay_enabled(...)
kineto_available() -> bool
no_grad()
profiler: module
profiler_legacy: module
profiler_util: module
set_detect_anomaly(mode, check_nan=True)
set_grad_enabled(mode)
set_multithreading_enabled(mode)
variable(*args, **kwargs)
@torch.autograd.functional
hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy='reverse-mode')
hvp(func, inputs, v=None, create_graph=False, strict=False)
jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy='reverse-mode')
jvp(func, inputs, v=None, create_graph=False, strict=False)
vhp(func, inputs, v=None, create_graph=False, strict=False)
vjp(func, inputs, v=None, create_graph=False, strict=False)
@torch.func
debug_unwrap(tensor, *, recurse=True)
functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False)
functionalize(func, *, remove='mutations')
grad(func, argnums=0, has_aux=False)
grad_and_value(func, argnums=0, has_aux=False)
hessian(func, argnums=0)
jacfwd(func, argnums=0, has_aux=False, *, randomness='error')
jacrev(func, argnums=0, *, has_aux=False, chunk_size=None)
jvp(func, primals, tangents, *, strict=False, has_aux=False)
linearize(func, *primals)
rearrange(tensor, pattern, **axes_lengths)
replace_all_batch_norm_modules_(root)
stack_module_state(models) -> params
vjp(func, *primals, has_aux=False)
vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)
@torch.linalg
cholesky(A, *, upper=False, out=None) -> Tensor
cholesky_ex(A, *, upper=False, check_errors=False, out=None)
common_notes: dict
cond(A, p=None, *, out=None) -> Tensor
cross(input, other, *, dim=-1, out=None) -> Tensor
det(A, *, out=None) -> Tensor
diagonal(A, *, offset=0, dim1=-2, dim2=-1) -> Tensor
eig(A, *, out=None)
eigh(A, UPLO='L', *, out=None)
eigvals(A, *, out=None) -> Tensor
eigvalsh(A, UPLO='L', *, out=None) -> Tensor
householder_product(A, tau, *, out=None) -> Tensor
inv(A, *, out=None) -> Tensor
inv_ex(A, *, check_errors=False, out=None)
ldl_factor(A, *, hermitian=False, out=None)
ldl_factor_ex(A, *, hermitian=False, check_errors=False, out=None)
ldl_solve(LD, pivots, B, *, hermitian=False, out=None) -> Tensor
lstsq(A, B, rcond=None, *, driver=None)
lu(A, *, pivot=True, out=None)
lu_factor(A, *, bool pivot=True, out=None)
lu_factor_ex(A, *, pivot=True, check_errors=False, out=None)
lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None) -> Tensor
matmul(input, other, *, out=None) -> Tensor
matrix_exp(A) -> Tensor
matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None, out=None) -> Tensor
matrix_power(A, n, *, out=None) -> Tensor
matrix_rank(A, *, atol=None, rtol=None, hermitian=False, out=None) -> Tensor
multi_dot(tensors, *, out=None)
norm(input, ord=None, dim=None, keepdim=False, *, out=None, dtype=None) -> Tensor
pinv(A, *, atol=None, rtol=None, hermitian=False, out=None) -> Tensor
qr(A, mode='reduced', *, out=None)
slogdet(A, *, out=None)
solve(A, B, *, left=True, out=None) -> Tensor
solve_ex(A, B, *, left=True, check_errors=False, out=None)
solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None) -> Tensor
svd(A, full_matrices=True, *, driver=None, out=None)
svdvals(A, *, driver=None, out=None) -> Tensor
tensorinv(A, ind=2, *, out=None) -> Tensor
tensorsolve(A, B, dims=None, *, out=None) -> Tensor
vander(x, N=None) -> Tensor
vecdot(x, y, *, dim=-1, out=None) -> Tensor
vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None) -> Tensor
@torch.optim
ASGD(params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, maximize=False, differentiable=False, capturable=False)
Adadelta(params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, maximize=False, differentiable=False)
Adafactor(params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False)
Adagrad(params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None)
Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, foreach=None, maximize=False, capturable=False, differentiable=False, fused…
AdamW(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, capturable=False, differentiable=False, fu…
Adamax(params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, foreach=None, *, maximize=False, differentiable=False, capturable=False)
LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, line_search_fn=None)
Muon(params, lr=0.001, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-07, ns_steps=5, adjust_lr_fn=None)
NAdam(params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturab…
Optimizer(params, defaults)
RAdam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiab…
RMSprop(params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, maximize=False, differentiable=False)
Rprop(params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable=False, foreach=None, maximize=False, differentiable=False)
SGD(params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, differentiable=False, fused=None)
SparseAdam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, maximize=False)
lr_scheduler: module
swa_utils: module
swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state)
@torch.library
CustomOpDef(namespace, name, schema, fn, tags=None)
EffectType(value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None)
Library(ns, kind, dispatch_key='')
OpOverload(overloadpacket, op, op_dk, schema, tags)
TYPE_CHECKING: bool
custom_op(name, fn=None, *, mutates_args, device_types=None, schema=None, tags=None)
define(qualname, schema, *, lib=None, tags=())
fallthrough_kernel()
get_ctx()
get_kernel(op, dispatch_key)
impl(qualname, types, func=None, *, lib=None)
impl_abstract(qualname, func=None, *, lib=None)
infer_schema(prototype_function, *, mutates_args, op_name=None, tags=())
opcheck(op, args, kwargs=None, *, test_utils=('test_schema', 'test_autograd_registration', 'test_faketensor', 'test_aot_dispatch_dynamic'), raise_exception=True, atol…
register_autocast(op, device_type, cast_inputs, *, lib=None)
register_autograd(op, backward, *, setup_context=None, lib=None)
register_fake(op, func=None, *, lib=None, allow_override=True)
register_kernel(op, device_types, func=None, *, lib=None)
register_torch_dispatch(op, torch_dispatch_class, func=None, *, lib=None)
register_vmap(op, func=None, *, lib=None)
triton_op(name, fn=None, *, mutates_args, schema=None)
wrap_triton(triton_kernel)
@torch.cuda
CUDAGraph(keep_graph=False)
CUDAPluggableAllocator(path_to_so_file, alloc_fn_name, free_fn_name)
CudaError(code)
DEVICE_REQUIREMENT: dict
Event(enable_timing=False, blocking=False, interprocess=False, external=False)
ExternalStream(stream_ptr, device=None, **kwargs)
GreenContext()
MemPool(allocator=None, use_on_oom=False, no_split=False)
PYTORCH_RELEASES_CODE_CC: dict
Stream(device=None, priority=0, **kwargs)
StreamContext(stream)
TYPE_CHECKING: bool
amp: module
caching_allocator_alloc(size, device=None, stream=None)
caching_allocator_delete(mem_ptr)
caching_allocator_disabled()
caching_allocator_enable(value=True)
can_device_access_peer(device, peer_device)
change_current_allocator(allocator)
check_error(res)
classproperty(func)
clock_rate(device=None)
cudaStatus()
cudart()
current_blas_handle()
current_device()
current_solver_handle()
current_stream(device=None)
default_generators: tuple
default_stream(device=None)
device(device)
device_count()
device_memory_used(device=None)
device_of(obj)
empty_cache()
gds: module
get_allocator_backend()
get_arch_list()
get_device_capability(device=None)
get_device_name(device=None)
get_device_properties(device=None)
get_gencode_flags()
get_per_process_memory_fraction(device=None)
get_rng_state(device='cuda')
get_rng_state_all()
get_stream_from_external(data_ptr, device=None)
get_sync_debug_mode()
graph(cuda_graph, pool=None, stream=None, capture_error_mode='global', enable_annotations=False, check_input_liveness=False)
graph_pool_handle()
graphs: module
green_contexts: module
has_half: bool
has_magma: bool
host_memory_stats()
host_memory_stats_as_nested_dict()
init()
initial_seed()
ipc_collect()
is_available()
is_bf16_supported(including_emulation=True)
is_current_stream_capturing()
is_initialized()
is_tf32_supported()
jiterator: module
list_gpu_processes(device=None)
make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None)
manual_seed(seed)
manual_seed_all(seed)
max_memory_allocated(device=None)
max_memory_cached(device=None)
max_memory_reserved(device=None)
mem_get_info(device=None)
memory: module
memory_allocated(device=None)
memory_cached(device=None)
memory_reserved(device=None)
memory_snapshot(mempool_id=None, include_traces=True)
memory_stats(device=None)
memory_stats_as_nested_dict(device=None)
memory_summary(device=None, abbreviated=False)
memory_usage(device=None)
nccl: module
nvtx: module
power_draw(device=None)
profiler: module
random: module
reset_accumulated_host_memory_stats()
reset_accumulated_memory_stats(device=None)
reset_max_memory_allocated(device=None)
reset_max_memory_cached(device=None)
reset_peak_host_memory_stats()
reset_peak_memory_stats(device=None)
seed()
seed_all()
set_device(device)
set_per_process_memory_fraction(fraction, device=None)
set_rng_state(new_state, device='cuda')
set_rng_state_all(new_states)
set_stream(stream)
set_sync_debug_mode(debug_mode)
sparse: module
stream(stream)
streams: module
synchronize(device=None)
temperature(device=None)
tunable: module
use_mem_pool(pool, device=None)
utilization(device=None)
@torch.distributed
Backend(name)
BackendConfig(backend)
DeviceMesh(device_type, mesh=None, *, mesh_dim_names=None, backend_override=None)
GroupMember()
P2POp(op, tensor, peer=None, group=None, tag=0, group_peer=None)
algorithms: module
all_gather(tensor_list, tensor, group=None, async_op=False)
all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False)
all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False)
all_gather_object(object_list, obj, group=None)
all_gather_single(output_tensor, input_tensor, group=None, async_op=False)
all_reduce(tensor, op=..., group=None, async_op=False)
all_reduce_coalesced(tensors, op=..., group=None, async_op=False)
all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False)
all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False)
autograd: module
barrier(group=None, async_op=False, device_ids=None, timeout=None)
batch_isend_irecv(p2p_op_list)
breakpoint(rank=0, skip=0, timeout_s=3600)
broadcast(tensor, src=None, group=None, async_op=False, group_src=None)
broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None)
c10d_logger: module
config: module
constants: module
default_pg_timeout: timedelta
destroy_process_group(group=None)
device_mesh: module
distributed_c10d: module
gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None)
gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None)
get_backend(group=None)
get_backend_config(group=None)
get_debug_level() -> torch._C._distributed_c10d.DebugLevel
get_default_backend_for_device(device)
get_global_rank(group, group_rank)
get_group_rank(group, global_rank)
get_node_local_rank(fallback_rank=None)
get_pg_count()
get_process_group_ranks(group)
get_rank(group=None)
get_world_size(group=None)
group()
init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None)
init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name='', pg_options=None, device_id=None)
irecv(tensor, src=None, group=None, tag=0, group_src=None)
is_available()
is_backend_available(backend)
is_gloo_available()
is_initialized()
is_mpi_available()
is_nccl_available()
is_torchelastic_launched()
is_ucc_available()
is_xccl_available()
isend(tensor, dst=None, group=None, tag=0, group_dst=None)
logging_handlers: module
monitored_barrier(group=None, timeout=None, wait_all_ranks=False)
new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None, device_id=None, sort_ranks=True)
new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None)
new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None)
record_comm(name)
recv(tensor, src=None, group=None, tag=0, group_src=None)
recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False)
reduce(tensor, dst=None, op=..., group=None, async_op=False, group_dst=None)
reduce_scatter(output, input_list, op=..., group=None, async_op=False)
reduce_scatter_single(output, input, op=..., group=None, async_op=False)
reduce_scatter_tensor(output, input, op=..., group=None, async_op=False)
register_rendezvous_handler(scheme, handler)
remote_device: module
rendezvous(url, rank=-1, world_size=-1, **kwargs)
rpc: module
scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None)
scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None)
send(tensor, dst=None, group=None, tag=0, group_dst=None)
send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False)
set_debug_level(arg0: torch._C._distributed_c10d.DebugLevel) -> None
set_debug_level_from_env() -> None
shrink_group(ranks_to_exclude, group=None, shrink_flags=0, pg_options=None)
split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None)
supports_complex(reduceOp)
utils: module
@torch.utils.checkpoint
CheckpointFunction(*args, **kwargs)
CheckpointPolicy(value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None)
DefaultDeviceType()
GraphExecGroup()
LoggingTensorMode()
SAC_IGNORED_OPS: set
SelectiveCheckpointContext(*, is_recompute, op_output=None)
TYPE_CHECKING: bool
TorchDispatchMode()
capture_logs(is_mode=False, python_tb=False, script_tb=False, cpp_tb=False)
check_backward_validity(inputs)
checkpoint(function, *args, use_reentrant=None, context_fn=..., determinism_check='default', debug=False, early_stop=True, **kwargs)
checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs)
create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False)
detach_variable(inputs)
get_device_states(*args)
noop_context_fn()
set_checkpoint_debug_enabled(enabled)
set_checkpoint_early_stop(enable)
set_device_states(devices, states, *, device_type=None)
tree_map(func, tree, *rests, is_leaf=None)
@torch.fx
CodeGen()
Graph(owning_module=None, tracer_cls=None, tracer_extras=None)
GraphModule(*args, **kwargs)
Interpreter(module, garbage_collect_values=True, graph=None)
Node(graph, name, op, target, args, kwargs, return_type=None)
PH: PHBase
Proxy(node, tracer=None)
ProxyableClassMeta(name, bases, attrs)
Tracer(autowrap_modules=(math,), autowrap_functions=())
Transformer(module)
config: module
experimental: module
graph: module
graph_module: module
has_side_effect(fn)
immutable_collections: module
interpreter: module
map_arg(a, fn)
node: module
operator_schemas: module
passes: module
proxy: module
replace_pattern(gm, pattern, replacement)
subgraph_rewriter: module
symbolic_trace(root, concrete_args=None)
tensor_type: module
traceback: module
wrap(fn_or_name)
@torch.profiler
ExecutionTraceObserver()
KinetoStepTracker()
Optimizer(params, defaults)
ProfilerAction(value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None)
is_fbcode()
itt: module
kineto_available() -> bool
profile(*, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False, with_modules=False, exp…
profiler: module
record_function(name, args=None)
register_optimizer_step_post_hook(hook)
schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0)
supported_activities()
tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False)
@torch.amp
GradScaler(device='cuda', init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True)
autocast(device_type, dtype=None, enabled=True, cache_enabled=None)
autocast_mode: module
custom_bwd(bwd=None, *, device_type)
custom_fwd(fwd=None, *, device_type, cast_inputs=None)
grad_scaler: module
is_autocast_available(device_type)
@torch.fft
Tensor(...)
common_args: dict
factory_common_args: dict
fft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
fftfreq(n, d=1.0, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
fftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
fftshift(input, dim=None) -> Tensor
hfft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
hfftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
ifft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
ifftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
ifftshift(input, dim=None) -> Tensor
ihfft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
ihfftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
irfft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
irfftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
rfft(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor
rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None) -> Tensor
rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False) -> Tensor
rfftn(input, s=None, dim=None, norm=None, *, out=None) -> Tensor
@torch.special
Tensor(...)
airy_ai(input, *, out=None) -> Tensor
bessel_j0(input, *, out=None) -> Tensor
bessel_j1(input, *, out=None) -> Tensor
bessel_y0(input, *, out=None) -> Tensor
bessel_y1(input, *, out=None) -> Tensor
chebyshev_polynomial_t(input, n, *, out=None) -> Tensor
chebyshev_polynomial_u(input, n, *, out=None) -> Tensor
chebyshev_polynomial_v(input, n, *, out=None) -> Tensor
chebyshev_polynomial_w(input, n, *, out=None) -> Tensor
common_args: dict
digamma(input, *, out=None) -> Tensor
entr(input, *, out=None) -> Tensor
erf(input, *, out=None) -> Tensor
erfc(input, *, out=None) -> Tensor
erfcx(input, *, out=None) -> Tensor
erfinv(input, *, out=None) -> Tensor
exp2(input, *, out=None) -> Tensor
expit(input, *, out=None) -> Tensor
expm1(input, *, out=None) -> Tensor
gammainc(input, other, *, out=None) -> Tensor
gammaincc(input, other, *, out=None) -> Tensor
gammaln(input, *, out=None) -> Tensor
hermite_polynomial_h(input, n, *, out=None) -> Tensor
hermite_polynomial_he(input, n, *, out=None) -> Tensor
i0(input, *, out=None) -> Tensor
i0e(input, *, out=None) -> Tensor
i1(input, *, out=None) -> Tensor
i1e(input, *, out=None) -> Tensor
laguerre_polynomial_l(input, n, *, out=None) -> Tensor
legendre_polynomial_p(input, n, *, out=None) -> Tensor
log1p(input, *, out=None) -> Tensor
log_ndtr(input, *, out=None) -> Tensor
log_softmax(input, dim, *, dtype=None) -> Tensor
logit(input, eps=None, *, out=None) -> Tensor
logsumexp(input, dim, keepdim=False, *, out=None)
modified_bessel_i0(input, *, out=None) -> Tensor
modified_bessel_i1(input, *, out=None) -> Tensor
modified_bessel_k0(input, *, out=None) -> Tensor
modified_bessel_k1(input, *, out=None) -> Tensor
multi_dim_common: dict
multigammaln(input, p, *, out=None) -> Tensor
ndtr(input, *, out=None) -> Tensor
ndtri(input, *, out=None) -> Tensor
polygamma(n, input, *, out=None) -> Tensor
psi(input, *, out=None) -> Tensor
round(input, *, out=None) -> Tensor
scaled_modified_bessel_k0(input, *, out=None) -> Tensor
scaled_modified_bessel_k1(input, *, out=None) -> Tensor
shifted_chebyshev_polynomial_t(input, n, *, out=None) -> Tensor
shifted_chebyshev_polynomial_u(input, n, *, out=None) -> Tensor
shifted_chebyshev_polynomial_v(input, n, *, out=None) -> Tensor
shifted_chebyshev_polynomial_w(input, n, *, out=None) -> Tensor
sinc(input, *, out=None) -> Tensor
softmax(input, dim, *, dtype=None) -> Tensor
spherical_bessel_j0(input, *, out=None) -> Tensor
xlog1py(input, other, *, out=None) -> Tensor
xlogy(input, other, *, out=None) -> Tensor
zeta(input, other, *, out=None) -> Tensor
@torch.Tensor
H: attribute
T: attribute
abs() -> Tensor
abs_() -> Tensor
absolute() -> Tensor
absolute_() -> Tensor
acos() -> Tensor
acos_() -> Tensor
acosh() -> Tensor
acosh_() -> Tensor
add(other, *, alpha=1) -> Tensor
add_(other, *, alpha=1) -> Tensor
addbmm(batch1, batch2, *, beta=1, alpha=1) -> Tensor
addbmm_(batch1, batch2, *, beta=1, alpha=1) -> Tensor
addcdiv(tensor1, tensor2, *, value=1) -> Tensor
addcdiv_(tensor1, tensor2, *, value=1) -> Tensor
addcmul(tensor1, tensor2, *, value=1) -> Tensor
addcmul_(tensor1, tensor2, *, value=1) -> Tensor
addmm(mat1, mat2, *, beta=1, alpha=1) -> Tensor
addmm_(mat1, mat2, *, beta=1, alpha=1) -> Tensor
addmv(mat, vec, *, beta=1, alpha=1) -> Tensor
addmv_(mat, vec, *, beta=1, alpha=1) -> Tensor
addr(vec1, vec2, *, beta=1, alpha=1) -> Tensor
addr_(vec1, vec2, *, beta=1, alpha=1) -> Tensor
adjoint() -> Tensor
all(dim=None, keepdim=False) -> Tensor
allclose(other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor
amax(dim=None, keepdim=False) -> Tensor
amin(dim=None, keepdim=False) -> Tensor
aminmax(*, dim=None, keepdim=False)
angle() -> Tensor
any(dim=None, keepdim=False) -> Tensor
apply_(callable) -> Tensor
arccos() -> Tensor
arccos_() -> Tensor
arccosh()
arccosh_()
arcsin() -> Tensor
arcsin_() -> Tensor
arcsinh() -> Tensor
arcsinh_() -> Tensor
arctan() -> Tensor
arctan2(other) -> Tensor
arctan2_(other) -> Tensor
arctan_() -> Tensor
arctanh() -> Tensor
arctanh_(other) -> Tensor
argmax(dim=None, keepdim=False) -> LongTensor
argmin(dim=None, keepdim=False) -> LongTensor
argsort(dim=-1, descending=False) -> LongTensor
argwhere() -> Tensor
as_strided(size, stride, storage_offset=None) -> Tensor
as_strided_(size, stride, storage_offset=None) -> Tensor
as_strided_scatter(src, size, stride, storage_offset=None) -> Tensor
as_subclass(cls) -> Tensor
asin() -> Tensor
asin_() -> Tensor
asinh() -> Tensor
asinh_() -> Tensor
atan() -> Tensor
atan2(other) -> Tensor
atan2_(other) -> Tensor
atan_() -> Tensor
atanh() -> Tensor
atanh_(other) -> Tensor
backward(gradient=None, retain_graph=None, create_graph=False, inputs=None)
baddbmm(batch1, batch2, *, beta=1, alpha=1) -> Tensor
baddbmm_(batch1, batch2, *, beta=1, alpha=1) -> Tensor
bernoulli(*, generator=None) -> Tensor
bernoulli_(p=0.5, *, generator=None) -> Tensor
bfloat16(memory_format=torch.preserve_format) -> Tensor
bincount(weights=None, minlength=0) -> Tensor
bitwise_and() -> Tensor
bitwise_and_() -> Tensor
bitwise_left_shift(other) -> Tensor
bitwise_left_shift_(other) -> Tensor
bitwise_not() -> Tensor
bitwise_not_() -> Tensor
bitwise_or() -> Tensor
bitwise_or_() -> Tensor
bitwise_right_shift(other) -> Tensor
bitwise_right_shift_(other) -> Tensor
bitwise_xor() -> Tensor
bitwise_xor_() -> Tensor
bmm(batch2) -> Tensor
bool(memory_format=torch.preserve_format) -> Tensor
broadcast_to(shape) -> Tensor
byte(memory_format=torch.preserve_format) -> Tensor
cauchy_(median=0, sigma=1, *, generator=None) -> Tensor
ccol_indices()
cdouble(memory_format=torch.preserve_format) -> Tensor
ceil() -> Tensor
ceil_() -> Tensor
cfloat(memory_format=torch.preserve_format) -> Tensor
chalf(memory_format=torch.preserve_format) -> Tensor
char(memory_format=torch.preserve_format) -> Tensor
cholesky(upper=False) -> Tensor
cholesky_inverse(upper=False) -> Tensor
cholesky_solve(input2, upper=False) -> Tensor
chunk(chunks, dim=0) -> List
clamp(min=None, max=None) -> Tensor
clamp_(min=None, max=None) -> Tensor
clamp_max(max)
clamp_max_(max)
clamp_min(min)
clamp_min_(min)
clip(min=None, max=None) -> Tensor
clip_(min=None, max=None) -> Tensor
clone(*, memory_format=torch.preserve_format) -> Tensor
coalesce() -> Tensor
col_indices() -> IntTensor
conj() -> Tensor
conj_physical() -> Tensor
conj_physical_() -> Tensor
const_data_ptr() -> int
contiguous(memory_format=torch.contiguous_format) -> Tensor
copy_(src, non_blocking=False) -> Tensor
copysign(other) -> Tensor
copysign_(other) -> Tensor
corrcoef() -> Tensor
cos() -> Tensor
cos_() -> Tensor
cosh() -> Tensor
cosh_() -> Tensor
count_nonzero(dim=None) -> Tensor
cov(*, correction=1, fweights=None, aweights=None) -> Tensor
cpu(memory_format=torch.preserve_format) -> Tensor
cross(other, dim=None) -> Tensor
crow_indices() -> IntTensor
cuda(device=None, non_blocking=False, memory_format=torch.preserve_format) -> Tensor
cummax(dim)
cummin(dim)
cumprod(dim, dtype=None) -> Tensor
cumprod_(dim, dtype=None) -> Tensor
cumsum(dim, dtype=None) -> Tensor
cumsum_(dim, dtype=None) -> Tensor
data: attribute
data_ptr() -> int
deg2rad() -> Tensor
deg2rad_() -> Tensor
dense_dim() -> int
dequantize() -> Tensor
det() -> Tensor
detach()
detach_()
device: attribute
diag(diagonal=0) -> Tensor
diag_embed(offset=0, dim1=-2, dim2=-1) -> Tensor
diagflat(offset=0) -> Tensor
diagonal(offset=0, dim1=0, dim2=1) -> Tensor
diagonal_scatter(src, offset=0, dim1=0, dim2=1) -> Tensor
diff(n=1, dim=-1, prepend=None, append=None) -> Tensor
digamma() -> Tensor
digamma_() -> Tensor
dim() -> int
dim_order(ambiguity_check=False) -> tuple
dist(other, p=2) -> Tensor
div(value, *, rounding_mode=None) -> Tensor
div_(value, *, rounding_mode=None) -> Tensor
divide(value, *, rounding_mode=None) -> Tensor
divide_(value, *, rounding_mode=None) -> Tensor
dot(other) -> Tensor
double(memory_format=torch.preserve_format) -> Tensor
dsplit(split_size_or_sections) -> List
dtype: attribute
eig(eigenvectors=False)
element_size() -> int
eq(other) -> Tensor
eq_(other) -> Tensor
equal(other) -> bool
erf() -> Tensor
erf_() -> Tensor
erfc() -> Tensor
erfc_() -> Tensor
erfinv() -> Tensor
erfinv_() -> Tensor
exp() -> Tensor
exp2() -> Tensor
exp2_() -> Tensor
exp_() -> Tensor
expand(*size) -> Tensor
expand_as(other) -> Tensor
expm1() -> Tensor
expm1_() -> Tensor
exponential_(lambd=1, *, generator=None) -> Tensor
fill_(value) -> Tensor
fill_diagonal_(fill_value, wrap=False) -> Tensor
fix() -> Tensor
fix_() -> Tensor
flatten(start_dim=0, end_dim=-1) -> Tensor
flip(dims) -> Tensor
fliplr() -> Tensor
flipud() -> Tensor
float(memory_format=torch.preserve_format) -> Tensor
float_power(exponent) -> Tensor
float_power_(exponent) -> Tensor
floor() -> Tensor
floor_() -> Tensor
floor_divide(value) -> Tensor
floor_divide_(value) -> Tensor
fmax(other) -> Tensor
fmin(other) -> Tensor
fmod(divisor) -> Tensor
fmod_(divisor) -> Tensor
frac() -> Tensor
frac_() -> Tensor
frexp(input)
gather(dim, index) -> Tensor
gcd(other) -> Tensor
gcd_(other) -> Tensor
ge(other) -> Tensor
ge_(other) -> Tensor
geometric_(p, *, generator=None) -> Tensor
geqrf()
ger(vec2) -> Tensor
get_device() -> Device
grad: attribute
grad_dtype: attribute
grad_fn: attribute
greater(other) -> Tensor
greater_(other) -> Tensor
greater_equal(other) -> Tensor
greater_equal_(other) -> Tensor
gt(other) -> Tensor
gt_(other) -> Tensor
half(memory_format=torch.preserve_format) -> Tensor
hardshrink(lambd=0.5) -> Tensor
hash_tensor(dim=[], keepdim=False, mode=0)
heaviside(values) -> Tensor
heaviside_(values) -> Tensor
histc(bins=100, min=0, max=0) -> Tensor
histogram(input, bins, *, range=None, weight=None, density=False)
hsplit(split_size_or_sections) -> List
hypot(other) -> Tensor
hypot_(other) -> Tensor
i0() -> Tensor
i0_() -> Tensor
igamma(other) -> Tensor
igamma_(other) -> Tensor
igammac(other) -> Tensor
igammac_(other) -> Tensor
imag: attribute
index(positions, dims)
index_add(dim, index, source, *, alpha=1) -> Tensor
index_add_(dim, index, source, *, alpha=1) -> Tensor
index_copy(dim, index, tensor2) -> Tensor
index_copy_(dim, index, tensor) -> Tensor
index_fill(dim, index, value) -> Tensor
index_fill_(dim, index, value) -> Tensor
index_put(indices, values, accumulate=False) -> Tensor
index_put_(indices, values, accumulate=False) -> Tensor
index_reduce(dim, index, source, reduce, include_self=True)
index_reduce_(dim, index, source, reduce, *, include_self=True) -> Tensor
index_select(dim, index) -> Tensor
indices() -> Tensor
inner(other) -> Tensor
int(memory_format=torch.preserve_format) -> Tensor
int_repr() -> Tensor
inverse() -> Tensor
ipu(device=None, non_blocking=False, memory_format=torch.preserve_format) -> Tensor
is_coalesced() -> bool
is_complex() -> bool
is_conj() -> bool
is_contiguous(memory_format=torch.contiguous_format) -> bool
is_cpu: attribute
is_cuda: attribute
is_distributed()
is_floating_point() -> bool
is_inference() -> bool
is_ipu: attribute
is_leaf: attribute
is_maia: attribute
is_meta: attribute
is_mkldnn: attribute
is_mps: attribute
is_mtia: attribute
is_neg() -> bool
is_nested: attribute
is_nonzero()
is_pinned(device=None)
is_quantized: attribute
is_same_size(other)
is_set_to(tensor) -> bool
is_shared()
is_signed() -> bool
is_sparse: attribute
is_sparse_csr: attribute
is_vulkan: attribute
is_xla: attribute
is_xpu: attribute
isclose(other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor
isfinite() -> Tensor
isinf() -> Tensor
isnan() -> Tensor
isneginf() -> Tensor
isposinf() -> Tensor
isreal() -> Tensor
istft(n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False)
item() -> number
itemsize: attribute
kron(other) -> Tensor
kthvalue(k, dim=None, keepdim=False)
layout: attribute
lcm(other) -> Tensor
lcm_(other) -> Tensor
ldexp(other) -> Tensor
ldexp_(other) -> Tensor
le(other) -> Tensor
le_(other) -> Tensor
lerp(end, weight) -> Tensor
lerp_(end, weight) -> Tensor
less(other)
less_(other) -> Tensor
less_equal(other) -> Tensor
less_equal_(other) -> Tensor
lgamma() -> Tensor
lgamma_() -> Tensor
log() -> Tensor
log10() -> Tensor
log10_() -> Tensor
log1p() -> Tensor
log1p_() -> Tensor
log2() -> Tensor
log2_() -> Tensor
log_() -> Tensor
log_normal_(mean=1, std=2, *, generator=None)
log_softmax(dim, dtype=None)
logaddexp(other) -> Tensor
logaddexp2(other) -> Tensor
logcumsumexp(dim) -> Tensor
logdet() -> Tensor
logical_and() -> Tensor
logical_and_() -> Tensor
logical_not() -> Tensor
logical_not_() -> Tensor
logical_or() -> Tensor
logical_or_() -> Tensor
logical_xor() -> Tensor
logical_xor_() -> Tensor
logit() -> Tensor
logit_() -> Tensor
logsumexp(dim, keepdim=False) -> Tensor
long(memory_format=torch.preserve_format) -> Tensor
lstsq(other)
lt(other) -> Tensor
lt_(other) -> Tensor
lu(pivot=True, get_infos=False)
lu_solve(LU_data, LU_pivots) -> Tensor
mH: attribute
mT: attribute
map2_(...)
map_(tensor, callable)
masked_fill(mask, value) -> Tensor
masked_fill_(mask, value)
masked_scatter(mask, tensor) -> Tensor
masked_scatter_(mask, source)
masked_select(mask) -> Tensor
matmul(tensor2) -> Tensor
matrix_exp() -> Tensor
matrix_power(n) -> Tensor
max(dim=None, keepdim=False) -> Tensor
maximum(other) -> Tensor
mean(dim=None, keepdim=False, *, dtype=None) -> Tensor
median(dim=None, keepdim=False)
min(dim=None, keepdim=False) -> Tensor
minimum(other) -> Tensor
mm(mat2) -> Tensor
mode(dim=None, keepdim=False)
module_load(other, assign=False)
moveaxis(source, destination) -> Tensor
movedim(source, destination) -> Tensor
msort() -> Tensor
mtia(device=None, non_blocking=False, memory_format=torch.preserve_format) -> Tensor
mul(value) -> Tensor
mul_(value) -> Tensor
multinomial(num_samples, replacement=False, *, generator=None) -> Tensor
multiply(value) -> Tensor
multiply_(value) -> Tensor
mv(vec) -> Tensor
mvlgamma(p) -> Tensor
mvlgamma_(p) -> Tensor
name: attribute
nan_to_num(nan=0.0, posinf=None, neginf=None) -> Tensor
nan_to_num_(nan=0.0, posinf=None, neginf=None) -> Tensor
nanmean(dim=None, keepdim=False, *, dtype=None) -> Tensor
nanmedian(dim=None, keepdim=False)
nanquantile(q, dim=None, keepdim=False, *, interpolation='linear') -> Tensor
nansum(dim=None, keepdim=False, dtype=None) -> Tensor
narrow(dimension, start, length) -> Tensor
narrow_copy(dimension, start, length) -> Tensor
nbytes: attribute
ndim: attribute
ndimension() -> int
ne(other) -> Tensor
ne_(other) -> Tensor
neg() -> Tensor
neg_() -> Tensor
negative() -> Tensor
negative_() -> Tensor
nelement() -> int
new(...)
new_empty(size, *, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
new_empty_strided(size, stride, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
new_full(size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
new_ones(size, *, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
new_tensor(data, *, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
new_zeros(size, *, dtype=None, device=None, requires_grad=False, layout=torch.strided, pin_memory=False) -> Tensor
nextafter(other) -> Tensor
nextafter_(other) -> Tensor
nonzero() -> LongTensor
nonzero_static(*, size, fill_value=-1) -> LongTensor
norm(p='fro', dim=None, keepdim=False, dtype=None)
normal_(mean=0, std=1, *, generator=None) -> Tensor
not_equal(other) -> Tensor
not_equal_(other) -> Tensor
numel() -> int
numpy(*, force=False) -> numpy.ndarray
orgqr(input2) -> Tensor
ormqr(input2, input3, left=True, transpose=False) -> Tensor
outer(vec2) -> Tensor
output_nr: attribute
permute(*dims) -> Tensor
pin_memory() -> Tensor
pinverse() -> Tensor
polygamma(n) -> Tensor
polygamma_(n) -> Tensor
positive() -> Tensor
pow(exponent) -> Tensor
pow_(exponent) -> Tensor
prelu(weight)
prod(dim=None, keepdim=False, dtype=None) -> Tensor
put(input, index, source, accumulate=False) -> Tensor
put_(index, source, accumulate=False) -> Tensor
q_per_channel_axis() -> int
q_per_channel_scales() -> Tensor
q_per_channel_zero_points() -> Tensor
q_scale() -> float
q_zero_point() -> int
qr(some=True)
qscheme() -> torch.qscheme
quantile(q, dim=None, keepdim=False, *, interpolation='linear') -> Tensor
rad2deg() -> Tensor
rad2deg_() -> Tensor
random_(from=0, to=None, *, generator=None) -> Tensor
ravel() -> Tensor
real: attribute
reciprocal() -> Tensor
reciprocal_() -> Tensor
record_stream(stream)
register_hook(hook)
register_post_accumulate_grad_hook(hook)
reinforce(reward)
relu()
relu_()
remainder(divisor) -> Tensor
remainder_(divisor) -> Tensor
renorm(p, dim, maxnorm) -> Tensor
renorm_(p, dim, maxnorm) -> Tensor
repeat(*repeats) -> Tensor
repeat_interleave(repeats, dim=None, *, output_size=None) -> Tensor
requires_grad: attribute
requires_grad_(requires_grad=True) -> Tensor
reshape(*shape) -> Tensor
reshape_as(other) -> Tensor
resize(*sizes)
resize_(*sizes, memory_format=torch.contiguous_format) -> Tensor
resize_as(tensor)
resize_as_(tensor, memory_format=torch.contiguous_format) -> Tensor
resize_as_sparse_(the_template)
resolve_conj() -> Tensor
resolve_neg() -> Tensor
retain_grad() -> None
retains_grad: attribute
roll(shifts, dims) -> Tensor
rot90(k, dims) -> Tensor
round(decimals=0) -> Tensor
round_(decimals=0) -> Tensor
row_indices()
rsqrt() -> Tensor
rsqrt_() -> Tensor
scatter(dim, index, src) -> Tensor
scatter_(dim, index, src, *, reduce=None) -> Tensor
scatter_add(dim, index, src) -> Tensor
scatter_add_(dim, index, src) -> Tensor
scatter_reduce(dim, index, src, reduce, *, include_self=True) -> Tensor
scatter_reduce_(dim, index, src, reduce, *, include_self=True) -> Tensor
select(dim, index) -> Tensor
select_scatter(src, dim, index) -> Tensor
set_(source=None, storage_offset=0, size=None, stride=None) -> Tensor
sgn() -> Tensor
sgn_() -> Tensor
shape: attribute
share_memory_()
short(memory_format=torch.preserve_format) -> Tensor
sigmoid() -> Tensor
sigmoid_() -> Tensor
sign() -> Tensor
sign_() -> Tensor
signbit() -> Tensor
sin() -> Tensor
sin_() -> Tensor
sinc() -> Tensor
sinc_() -> Tensor
sinh() -> Tensor
sinh_() -> Tensor
size(dim=None) -> torch.Size
slice_inverse(src, dim=0, start=None, end=None, step=1)
slice_scatter(src, dim=0, start=None, end=None, step=1) -> Tensor
slogdet()
smm(mat) -> Tensor
softmax(dim) -> Tensor
solve(other)
sort(dim=-1, descending=False)
sparse_dim() -> int
sparse_mask(mask) -> Tensor
sparse_resize_(size, sparse_dim, dense_dim) -> Tensor
sparse_resize_and_clear_(size, sparse_dim, dense_dim) -> Tensor
split(split_size, dim=0)
split_with_sizes(split_sizes, dim=0)
sqrt() -> Tensor
sqrt_() -> Tensor
square() -> Tensor
square_() -> Tensor
squeeze(dim=None) -> Tensor
squeeze_(dim=None) -> Tensor
sspaddmm(mat1, mat2, *, beta=1, alpha=1) -> Tensor
std(dim=None, *, correction=1, keepdim=False) -> Tensor
stft(n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_window=N…
storage() -> torch.TypedStorage
storage_offset() -> int
storage_type() -> type
stride(dim) -> tuple
sub(other, *, alpha=1) -> Tensor
sub_(other, *, alpha=1) -> Tensor
subtract(other, *, alpha=1) -> Tensor
subtract_(other, *, alpha=1) -> Tensor
sum(dim=None, keepdim=False, dtype=None) -> Tensor
sum_to_size(*size) -> Tensor
svd(some=True, compute_uv=True)
swapaxes(axis0, axis1) -> Tensor
swapaxes_(axis0, axis1) -> Tensor
swapdims(dim0, dim1) -> Tensor
swapdims_(dim0, dim1) -> Tensor
symeig(eigenvectors=False)
t() -> Tensor
t_() -> Tensor
take(indices) -> Tensor
take_along_dim(indices, dim) -> Tensor
tan() -> Tensor
tan_() -> Tensor
tanh() -> Tensor
tanh_() -> Tensor
tensor_split(indices_or_sections, dim=0) -> List
tile(dims) -> Tensor
to(*args, **kwargs) -> Tensor
to_dense(dtype=None, *, masked_grad=True) -> Tensor
to_mkldnn() -> Tensor
to_padded_tensor(padding, output_size=None) -> Tensor
to_sparse(sparseDims) -> Tensor
to_sparse_bsc(blocksize, dense_dim) -> Tensor
to_sparse_bsr(blocksize, dense_dim) -> Tensor
to_sparse_coo()
to_sparse_csc() -> Tensor
to_sparse_csr(dense_dim=None) -> Tensor
tolist() -> list
topk(k, dim=None, largest=True, sorted=True)
trace() -> Tensor
transpose(dim0, dim1) -> Tensor
transpose_(dim0, dim1) -> Tensor
triangular_solve(A, upper=True, transpose=False, unitriangular=False)
tril(diagonal=0) -> Tensor
tril_(diagonal=0) -> Tensor
triu(diagonal=0) -> Tensor
triu_(diagonal=0) -> Tensor
true_divide(value) -> Tensor
true_divide_(value) -> Tensor
trunc() -> Tensor
trunc_() -> Tensor
type(dtype=None, non_blocking=False, **kwargs) -> str
type_as(tensor) -> Tensor
unbind(dim=0) -> seq
unflatten(dim, sizes) -> Tensor
unfold(dimension, size, step) -> Tensor
uniform_(from=0, to=1, *, generator=None) -> Tensor
unique(sorted=True, return_inverse=False, return_counts=False, dim=None)
unique_consecutive(return_inverse=False, return_counts=False, dim=None)
unsafe_chunk(chunks, dim=0) -> List
unsafe_split(split_size, dim=0) -> List
unsafe_split_with_sizes(split_sizes, dim=0)
unsqueeze(dim) -> Tensor
unsqueeze_(dim) -> Tensor
untyped_storage() -> torch.UntypedStorage
values() -> Tensor
var(dim=None, *, correction=1, keepdim=False) -> Tensor
vdot(other) -> Tensor
view(*shape) -> Tensor
view_as(other) -> Tensor
volatile: attribute
vsplit(split_size_or_sections) -> List
where(condition, y) -> Tensor
xlogy(other) -> Tensor
xlogy_(other) -> Tensor
xpu(device=None, non_blocking=False, memory_format=torch.preserve_format) -> Tensor
zero_() -> Tensor
@torch.nn.Module
T_destination: TypeVar
add_module(name, module)
apply(fn)
bfloat16()
buffers(recurse=True)
call_super_init: bool
children()
compile(*args, **kwargs)
cpu()
cuda(device=None)
double()
dump_patches: bool
eval()
extra_repr()
float()
forward(*input)
get_buffer(target)
get_extra_state()
get_parameter(target)
get_submodule(target)
half()
ipu(device=None)
load_state_dict(state_dict, strict=True, assign=False)
modules(remove_duplicate=True)
mtia(device=None)
named_buffers(prefix='', recurse=True, remove_duplicate=True)
named_children()
named_modules(memo=None, prefix='', remove_duplicate=True)
named_parameters(prefix='', recurse=True, remove_duplicate=True)
parameters(recurse=True)
register_backward_hook(hook)
register_buffer(name, tensor, persistent=True)
register_forward_hook(hook, *, prepend=False, with_kwargs=False, always_call=False)
register_forward_pre_hook(hook, *, prepend=False, with_kwargs=False)
register_full_backward_hook(hook, prepend=False)
register_full_backward_pre_hook(hook, prepend=False)
register_load_state_dict_post_hook(hook)
register_load_state_dict_pre_hook(hook)
register_module(name, module)
register_parameter(name, param)
register_state_dict_post_hook(hook)
register_state_dict_pre_hook(hook)
requires_grad_(requires_grad=True)
set_extra_state(state)
set_submodule(target, module, strict=False)
share_memory()
state_dict(*args, destination=None, prefix='', keep_vars=False)
to(*args, **kwargs)
to_empty(*, device, recurse=True)
train(mode=True)
type(dst_type)
xpu(device=None)
zero_grad(set_to_none=True)
@torch.autograd.Function
apply(*args, **kwargs)
backward(ctx, *grad_outputs)
boxed_grads_call: bool
clear_saved_tensors_on_access: bool
dirty_tensors: attribute
forward(*args, **kwargs)
generate_vmap_rule: bool
jvp(ctx, *grad_inputs)
mark_dirty(*args)
mark_non_differentiable(*args)
mark_shared_storage(*pairs)
materialize_grads: attribute
maybe_clear_saved_tensors(...)
metadata: attribute
name(...)
needs_input_grad: attribute
next_functions: attribute
non_differentiable: attribute
register_hook(...)
register_prehook(...)
requires_grad: attribute
save_for_backward(*tensors)
save_for_forward(*tensors)
saved_for_forward: attribute
saved_tensors: attribute
saved_variables: attribute
set_materialize_grads(value)
setup_context(ctx, inputs, output)
to_save: attribute
vjp(ctx, *grad_outputs)
vmap(info, in_dims, *args)
@torch.Generator
clone_state() -> torch.Generator
device: attribute
get_offset(...)
get_state() -> Tensor
graphsafe_get_state() -> torch.Generator
graphsafe_set_state(state) -> None
initial_seed() -> int
manual_seed(seed) -> Generator
seed() -> int
set_offset(...)
set_state(new_state) -> void
`;
