"""Names of kernels of all libraries and generations."""

from __future__ import annotations

import pytest

from torchstone.doctor.roofline.kernels import multiplies_float32, uses_tensor_cores

pytestmark = pytest.mark.pure

FLOAT32 = [
    "volta_sgemm_128x64_nn",
    "ampere_sgemm_32x128_tn",
    "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
    "cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1",
    "void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_nn_align1>(Params)",
    "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_execute_kernel__5x_cublas",
    "sm86_xmma_fprop_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw_g1_ffma_aligna4_alignc4",
    "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)",
    "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false, true, true>(int)",
]
TENSOR = [
    "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
    "turing_fp16_s1688cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn",
    "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(Params)",
    "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_g1_tensor16x8x8",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1__5x_cublas",
    "nvjet_tst_192x192_64x4_2x1_v_bz_coopA_TNT",
]
NEITHER = [
    "Cijk_Ailk_Bljk_SB_MT128x128x16_MI32x32x1",
    "void implicit_convolve_sgemm<__half, __half, 1024, 5, 5, 3, 3, 3, 1>(int)",
    "volta_fp16_sgemm_fp16_64x64_nn",
    "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16>(int)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
    "volta_dgemm_64x64_nn",
]


@pytest.mark.parametrize("name", FLOAT32)
def test_float32_on_vector_units(name: str) -> None:
    assert multiplies_float32(name)
    assert not uses_tensor_cores(name)


@pytest.mark.parametrize("name", TENSOR)
def test_tensor_cores(name: str) -> None:
    assert uses_tensor_cores(name)
    assert not multiplies_float32(name)


@pytest.mark.parametrize("name", NEITHER)
def test_what_is_no_float32_product(name: str) -> None:
    assert not multiplies_float32(name)
