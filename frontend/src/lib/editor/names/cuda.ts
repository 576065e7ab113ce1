/** Written by tools/completion_names.py; do not change it by hand. */

export default `@
CUDART_2_OVER_PI: constant
CUDART_2_OVER_PI_F: constant
CUDART_3PIO4: constant
CUDART_3PIO4_F: constant
CUDART_DBL2INT_CVT: constant
CUDART_INF: constant
CUDART_INF_F: constant
CUDART_L2E: constant
CUDART_L2E_F: constant
CUDART_L2E_HI: constant
CUDART_L2E_LO: constant
CUDART_L2T: constant
CUDART_L2T_F: constant
CUDART_LG2: constant
CUDART_LG2_F: constant
CUDART_LG2_HI: constant
CUDART_LG2_LO: constant
CUDART_LG2_X_1024: constant
CUDART_LG2_X_1075: constant
CUDART_LGE: constant
CUDART_LGE_F: constant
CUDART_LGE_HI: constant
CUDART_LGE_LO: constant
CUDART_LN2: constant
CUDART_LN2_F: constant
CUDART_LN2_HI: constant
CUDART_LN2_LO: constant
CUDART_LN2_X_1024: constant
CUDART_LN2_X_1025: constant
CUDART_LN2_X_1075: constant
CUDART_LNPI: constant
CUDART_LNPI_F: constant
CUDART_LNT: constant
CUDART_LNT_F: constant
CUDART_LNT_HI: constant
CUDART_LNT_LO: constant
CUDART_MAX_NORMAL_F: constant
CUDART_MIN_DENORM: constant
CUDART_MIN_DENORM_F: constant
CUDART_NAN: constant
CUDART_NAN_F: constant
CUDART_NEG_ZERO: constant
CUDART_NEG_ZERO_F: constant
CUDART_NORM_HUGE_F: constant
CUDART_ONE: constant
CUDART_ONE_F: constant
CUDART_PI: constant
CUDART_PIO2: constant
CUDART_PIO2_F: constant
CUDART_PIO2_HI: constant
CUDART_PIO2_LO: constant
CUDART_PIO4: constant
CUDART_PIO4_F: constant
CUDART_PIO4_HI: constant
CUDART_PIO4_LO: constant
CUDART_PI_F: constant
CUDART_PI_HI: constant
CUDART_PI_LO: constant
CUDART_REMQUO_BITS_F: constant
CUDART_REMQUO_MASK_F: constant
CUDART_SQRT_2OPI: constant
CUDART_SQRT_2PI: constant
CUDART_SQRT_2PI_HI: constant
CUDART_SQRT_2PI_LO: constant
CUDART_SQRT_2_OVER_PI_F: constant
CUDART_SQRT_HALF: constant
CUDART_SQRT_HALF_F: constant
CUDART_SQRT_HALF_HI: constant
CUDART_SQRT_HALF_HI_F: constant
CUDART_SQRT_HALF_LO: constant
CUDART_SQRT_HALF_LO_F: constant
CUDART_SQRT_PIO2: constant
CUDART_SQRT_PIO2_HI: constant
CUDART_SQRT_PIO2_LO: constant
CUDART_SQRT_TWO: constant
CUDART_SQRT_TWO_F: constant
CUDART_THIRD: constant
CUDART_THIRD_F: constant
CUDART_TRIG_PLOSS: constant
CUDART_TRIG_PLOSS_F: constant
CUDART_TWOTHIRD: constant
CUDART_TWO_TO_126_F: constant
CUDART_TWO_TO_23: constant
CUDART_TWO_TO_23_F: constant
CUDART_TWO_TO_24_F: constant
CUDART_TWO_TO_31_F: constant
CUDART_TWO_TO_32_F: constant
CUDART_TWO_TO_52: constant
CUDART_TWO_TO_53: constant
CUDART_TWO_TO_54: constant
CUDART_TWO_TO_M1022: constant
CUDART_TWO_TO_M126_F: constant
CUDART_TWO_TO_M54: constant
CUDART_ZERO: constant
CUDART_ZERO_F: constant
__activemask() -> unsigned
__all_sync(unsigned mask, int predicate) -> int
__any_sync(unsigned mask, int predicate) -> int
__ballot_sync(unsigned mask, int predicate) -> unsigned
__bfloat1622float2(__nv_bfloat162 x) -> float2
__bfloat162bfloat162(__nv_bfloat16 x) -> __nv_bfloat162
__bfloat162char_rz(__nv_bfloat16 x) -> signed char
__bfloat162float(__nv_bfloat16 x) -> float
__bfloat162int_rd(__nv_bfloat16 x) -> int
__bfloat162int_rn(__nv_bfloat16 x) -> int
__bfloat162int_ru(__nv_bfloat16 x) -> int
__bfloat162int_rz(__nv_bfloat16 x) -> int
__bfloat162ll_rd(__nv_bfloat16 x) -> long long
__bfloat162ll_rn(__nv_bfloat16 x) -> long long
__bfloat162ll_ru(__nv_bfloat16 x) -> long long
__bfloat162ll_rz(__nv_bfloat16 x) -> long long
__bfloat162short_rd(__nv_bfloat16 x) -> short
__bfloat162short_rn(__nv_bfloat16 x) -> short
__bfloat162short_ru(__nv_bfloat16 x) -> short
__bfloat162short_rz(__nv_bfloat16 x) -> short
__bfloat162uchar_rz(__nv_bfloat16 x) -> unsigned char
__bfloat162uint_rd(__nv_bfloat16 x) -> unsigned
__bfloat162uint_rn(__nv_bfloat16 x) -> unsigned
__bfloat162uint_ru(__nv_bfloat16 x) -> unsigned
__bfloat162uint_rz(__nv_bfloat16 x) -> unsigned
__bfloat162ull_rd(__nv_bfloat16 x) -> unsigned long long
__bfloat162ull_rn(__nv_bfloat16 x) -> unsigned long long
__bfloat162ull_ru(__nv_bfloat16 x) -> unsigned long long
__bfloat162ull_rz(__nv_bfloat16 x) -> unsigned long long
__bfloat162ushort_rd(__nv_bfloat16 x) -> unsigned short
__bfloat162ushort_rn(__nv_bfloat16 x) -> unsigned short
__bfloat162ushort_ru(__nv_bfloat16 x) -> unsigned short
__bfloat162ushort_rz(__nv_bfloat16 x) -> unsigned short
__bfloat16_as_short(__nv_bfloat16 x) -> short
__bfloat16_as_ushort(__nv_bfloat16 x) -> unsigned short
__brev(unsigned x) -> unsigned
__brevll(unsigned long long x) -> unsigned long long
__brkpt() -> void
__byte_perm(unsigned x, unsigned y, unsigned selector) -> unsigned
__clz(int x) -> int
__clzll(long long x) -> int
__constant__: variable in constant memory
__cosf(float x) -> float
__dadd_rd(double a, double b) -> double
__dadd_rn(double a, double b) -> double
__dadd_ru(double a, double b) -> double
__dadd_rz(double a, double b) -> double
__ddiv_rd(double a, double b) -> double
__ddiv_rn(double a, double b) -> double
__ddiv_ru(double a, double b) -> double
__ddiv_rz(double a, double b) -> double
__device__: function on the device, or variable in global memory
__dmul_rd(double a, double b) -> double
__dmul_rn(double a, double b) -> double
__dmul_ru(double a, double b) -> double
__dmul_rz(double a, double b) -> double
__double2bfloat16(double x) -> __nv_bfloat16
__double2float_rd(double a) -> float
__double2float_rn(double a) -> float
__double2float_ru(double a) -> float
__double2float_rz(double a) -> float
__double2half(double x) -> __half
__double2hiint(double x) -> int
__double2int_rd(double x) -> int
__double2int_rn(double x) -> int
__double2int_ru(double x) -> int
__double2int_rz(double x) -> int
__double2ll_rd(double x) -> long long
__double2ll_rn(double x) -> long long
__double2ll_ru(double x) -> long long
__double2ll_rz(double x) -> long long
__double2loint(double x) -> int
__double2uint_rd(double x) -> unsigned
__double2uint_rn(double x) -> unsigned
__double2uint_ru(double x) -> unsigned
__double2uint_rz(double x) -> unsigned
__double2ull_rd(double x) -> unsigned long long
__double2ull_rn(double x) -> unsigned long long
__double2ull_ru(double x) -> unsigned long long
__double2ull_rz(double x) -> unsigned long long
__double_as_longlong(double x) -> long long
__dp2a_hi(int a, int b, int sum) -> int
__dp2a_lo(int a, int b, int sum) -> int
__dp4a(int a, int b, int sum) -> int
__drcp_rd(double a) -> double
__drcp_rn(double a) -> double
__drcp_ru(double a) -> double
__drcp_rz(double a) -> double
__dsqrt_rd(double a) -> double
__dsqrt_rn(double a) -> double
__dsqrt_ru(double a) -> double
__dsqrt_rz(double a) -> double
__dsub_rd(double a, double b) -> double
__dsub_rn(double a, double b) -> double
__dsub_ru(double a, double b) -> double
__dsub_rz(double a, double b) -> double
__exp10f(float x) -> float
__expf(float x) -> float
__fadd_rd(float a, float b) -> float
__fadd_rn(float a, float b) -> float
__fadd_ru(float a, float b) -> float
__fadd_rz(float a, float b) -> float
__fdiv_rd(float a, float b) -> float
__fdiv_rn(float a, float b) -> float
__fdiv_ru(float a, float b) -> float
__fdiv_rz(float a, float b) -> float
__fdividef(float x, float y) -> float
__ffs(int x) -> int
__ffsll(long long x) -> int
__float22bfloat162_rn(float2 x) -> __nv_bfloat162
__float22half2_rn(float2 x) -> __half2
__float2bfloat16(float x) -> __nv_bfloat16
__float2bfloat162_rn(float x) -> __nv_bfloat162
__float2bfloat16_rd(float x) -> __nv_bfloat16
__float2bfloat16_rn(float x) -> __nv_bfloat16
__float2bfloat16_ru(float x) -> __nv_bfloat16
__float2bfloat16_rz(float x) -> __nv_bfloat16
__float2half(float x) -> __half
__float2half2_rn(float x) -> __half2
__float2half_rd(float x) -> __half
__float2half_rn(float x) -> __half
__float2half_ru(float x) -> __half
__float2half_rz(float x) -> __half
__float2int_rd(float x) -> int
__float2int_rn(float x) -> int
__float2int_ru(float x) -> int
__float2int_rz(float x) -> int
__float2ll_rd(float x) -> long long
__float2ll_rn(float x) -> long long
__float2ll_ru(float x) -> long long
__float2ll_rz(float x) -> long long
__float2uint_rd(float x) -> unsigned
__float2uint_rn(float x) -> unsigned
__float2uint_ru(float x) -> unsigned
__float2uint_rz(float x) -> unsigned
__float2ull_rd(float x) -> unsigned long long
__float2ull_rn(float x) -> unsigned long long
__float2ull_ru(float x) -> unsigned long long
__float2ull_rz(float x) -> unsigned long long
__float_as_int(float x) -> int
__float_as_uint(float x) -> unsigned
__floats2bfloat162_rn(float low, float high) -> __nv_bfloat162
__floats2half2_rn(float low, float high) -> __half2
__fma_rd(double a, double b, double c) -> double
__fma_rn(double a, double b, double c) -> double
__fma_ru(double a, double b, double c) -> double
__fma_rz(double a, double b, double c) -> double
__fmaf_rd(float a, float b, float c) -> float
__fmaf_rn(float a, float b, float c) -> float
__fmaf_ru(float a, float b, float c) -> float
__fmaf_rz(float a, float b, float c) -> float
__fmul_rd(float a, float b) -> float
__fmul_rn(float a, float b) -> float
__fmul_ru(float a, float b) -> float
__fmul_rz(float a, float b) -> float
__fns(unsigned mask, unsigned base, int offset) -> unsigned
__forceinline__: function that is always inlined
__frcp_rd(float a) -> float
__frcp_rn(float a) -> float
__frcp_ru(float a) -> float
__frcp_rz(float a) -> float
__frsqrt_rn(float x) -> float
__fsqrt_rd(float a) -> float
__fsqrt_rn(float a) -> float
__fsqrt_ru(float a) -> float
__fsqrt_rz(float a) -> float
__fsub_rd(float a, float b) -> float
__fsub_rn(float a, float b) -> float
__fsub_ru(float a, float b) -> float
__fsub_rz(float a, float b) -> float
__funnelshift_l(unsigned lo, unsigned hi, unsigned shift) -> unsigned
__funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) -> unsigned
__funnelshift_r(unsigned lo, unsigned hi, unsigned shift) -> unsigned
__funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) -> unsigned
__global__: kernel, launched from the host
__h2div(__half2 a, __half2 b) -> __half2
__habs(__half x) -> __half
__habs2(__half2 a) -> __half2
__hadd(int a, int b) -> int
__hadd2(__half2 a, __half2 b) -> __half2
__hadd2_rn(__half2 a, __half2 b) -> __half2
__hadd2_sat(__half2 a, __half2 b) -> __half2
__hadd_rn(__half a, __half b) -> __half
__hadd_sat(__half a, __half b) -> __half
__half: type
__half2: type
__half22float2(__half2 x) -> float2
__half2_raw: type
__half2char_rz(__half x) -> signed char
__half2float(__half x) -> float
__half2half2(__half x) -> __half2
__half2int_rd(__half x) -> int
__half2int_rn(__half x) -> int
__half2int_ru(__half x) -> int
__half2int_rz(__half x) -> int
__half2ll_rd(__half x) -> long long
__half2ll_rn(__half x) -> long long
__half2ll_ru(__half x) -> long long
__half2ll_rz(__half x) -> long long
__half2short_rd(__half x) -> short
__half2short_rn(__half x) -> short
__half2short_ru(__half x) -> short
__half2short_rz(__half x) -> short
__half2uchar_rz(__half x) -> unsigned char
__half2uint_rd(__half x) -> unsigned
__half2uint_rn(__half x) -> unsigned
__half2uint_ru(__half x) -> unsigned
__half2uint_rz(__half x) -> unsigned
__half2ull_rd(__half x) -> unsigned long long
__half2ull_rn(__half x) -> unsigned long long
__half2ull_ru(__half x) -> unsigned long long
__half2ull_rz(__half x) -> unsigned long long
__half2ushort_rd(__half x) -> unsigned short
__half2ushort_rn(__half x) -> unsigned short
__half2ushort_ru(__half x) -> unsigned short
__half2ushort_rz(__half x) -> unsigned short
__half_as_short(__half x) -> short
__half_as_ushort(__half x) -> unsigned short
__half_raw: type
__halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) -> __nv_bfloat162
__halves2half2(__half low, __half high) -> __half2
__hbeq2(__half2 a, __half2 b) -> bool
__hbequ2(__half2 a, __half2 b) -> bool
__hbge2(__half2 a, __half2 b) -> bool
__hbgeu2(__half2 a, __half2 b) -> bool
__hbgt2(__half2 a, __half2 b) -> bool
__hbgtu2(__half2 a, __half2 b) -> bool
__hble2(__half2 a, __half2 b) -> bool
__hbleu2(__half2 a, __half2 b) -> bool
__hblt2(__half2 a, __half2 b) -> bool
__hbltu2(__half2 a, __half2 b) -> bool
__hbne2(__half2 a, __half2 b) -> bool
__hbneu2(__half2 a, __half2 b) -> bool
__hcmadd(__half2 a, __half2 b, __half2 c) -> __half2
__hdiv(__half a, __half b) -> __half
__heq(__half a, __half b) -> bool
__heq2(__half2 a, __half2 b) -> __half2
__heq2_mask(__half2 a, __half2 b) -> unsigned
__hequ(__half a, __half b) -> bool
__hequ2(__half2 a, __half2 b) -> __half2
__hequ2_mask(__half2 a, __half2 b) -> unsigned
__hfma(__half a, __half b, __half c) -> __half
__hfma2(__half2 a, __half2 b, __half2 c) -> __half2
__hfma2_relu(__half2 a, __half2 b, __half2 c) -> __half2
__hfma2_sat(__half2 a, __half2 b, __half2 c) -> __half2
__hfma_relu(__half a, __half b, __half c) -> __half
__hfma_sat(__half a, __half b, __half c) -> __half
__hge(__half a, __half b) -> bool
__hge2(__half2 a, __half2 b) -> __half2
__hge2_mask(__half2 a, __half2 b) -> unsigned
__hgeu(__half a, __half b) -> bool
__hgeu2(__half2 a, __half2 b) -> __half2
__hgeu2_mask(__half2 a, __half2 b) -> unsigned
__hgt(__half a, __half b) -> bool
__hgt2(__half2 a, __half2 b) -> __half2
__hgt2_mask(__half2 a, __half2 b) -> unsigned
__hgtu(__half a, __half b) -> bool
__hgtu2(__half2 a, __half2 b) -> __half2
__hgtu2_mask(__half2 a, __half2 b) -> unsigned
__high2bfloat16(__nv_bfloat162 x) -> __nv_bfloat16
__high2bfloat162(__nv_bfloat162 x) -> __nv_bfloat162
__high2float(__half2 x) -> float
__high2half(__half2 x) -> __half
__high2half2(__half2 x) -> __half2
__highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) -> __nv_bfloat162
__highs2half2(__half2 a, __half2 b) -> __half2
__hiloint2double(int hi, int lo) -> double
__hisinf(__half x) -> int
__hisnan(__half x) -> bool
__hisnan2(__half2 x) -> __half2
__hle(__half a, __half b) -> bool
__hle2(__half2 a, __half2 b) -> __half2
__hle2_mask(__half2 a, __half2 b) -> unsigned
__hleu(__half a, __half b) -> bool
__hleu2(__half2 a, __half2 b) -> __half2
__hleu2_mask(__half2 a, __half2 b) -> unsigned
__hlt(__half a, __half b) -> bool
__hlt2(__half2 a, __half2 b) -> __half2
__hlt2_mask(__half2 a, __half2 b) -> unsigned
__hltu(__half a, __half b) -> bool
__hltu2(__half2 a, __half2 b) -> __half2
__hltu2_mask(__half2 a, __half2 b) -> unsigned
__hmax(__half a, __half b) -> __half
__hmax2(__half2 a, __half2 b) -> __half2
__hmax2_nan(__half2 a, __half2 b) -> __half2
__hmax_nan(__half a, __half b) -> __half
__hmin(__half a, __half b) -> __half
__hmin2(__half2 a, __half2 b) -> __half2
__hmin2_nan(__half2 a, __half2 b) -> __half2
__hmin_nan(__half a, __half b) -> __half
__hmul(__half a, __half b) -> __half
__hmul2(__half2 a, __half2 b) -> __half2
__hmul2_rn(__half2 a, __half2 b) -> __half2
__hmul2_sat(__half2 a, __half2 b) -> __half2
__hmul_rn(__half a, __half b) -> __half
__hmul_sat(__half a, __half b) -> __half
__hne(__half a, __half b) -> bool
__hne2(__half2 a, __half2 b) -> __half2
__hne2_mask(__half2 a, __half2 b) -> unsigned
__hneg(__half x) -> __half
__hneg2(__half2 a) -> __half2
__hneu(__half a, __half b) -> bool
__hneu2(__half2 a, __half2 b) -> __half2
__hneu2_mask(__half2 a, __half2 b) -> unsigned
__host__: function on the host
__hsub(__half a, __half b) -> __half
__hsub2(__half2 a, __half2 b) -> __half2
__hsub2_rn(__half2 a, __half2 b) -> __half2
__hsub2_sat(__half2 a, __half2 b) -> __half2
__hsub_rn(__half a, __half b) -> __half
__hsub_sat(__half a, __half b) -> __half
__int2bfloat16_rd(int x) -> __nv_bfloat16
__int2bfloat16_rn(int x) -> __nv_bfloat16
__int2bfloat16_ru(int x) -> __nv_bfloat16
__int2bfloat16_rz(int x) -> __nv_bfloat16
__int2double_rn(int x) -> double
__int2float_rd(int a) -> float
__int2float_rn(int a) -> float
__int2float_ru(int a) -> float
__int2float_rz(int a) -> float
__int2half_rd(int x) -> __half
__int2half_rn(int x) -> __half
__int2half_ru(int x) -> __half
__int2half_rz(int x) -> __half
__int_as_float(int x) -> float
__launch_bounds__(max_threads_per_block, min_blocks_per_multiprocessor)
__ldca(const T* p) -> T
__ldcg(const T* p) -> T
__ldcs(const T* p) -> T
__ldcv(const T* p) -> T
__ldg(const T* p) -> T
__ldlu(const T* p) -> T
__ll2bfloat16_rd(long long x) -> __nv_bfloat16
__ll2bfloat16_rn(long long x) -> __nv_bfloat16
__ll2bfloat16_ru(long long x) -> __nv_bfloat16
__ll2bfloat16_rz(long long x) -> __nv_bfloat16
__ll2double_rd(long long a) -> double
__ll2double_rn(long long a) -> double
__ll2double_ru(long long a) -> double
__ll2double_rz(long long a) -> double
__ll2float_rd(long long a) -> float
__ll2float_rn(long long a) -> float
__ll2float_ru(long long a) -> float
__ll2float_rz(long long a) -> float
__ll2half_rd(long long x) -> __half
__ll2half_rn(long long x) -> __half
__ll2half_ru(long long x) -> __half
__ll2half_rz(long long x) -> __half
__log10f(float x) -> float
__log2f(float x) -> float
__logf(float x) -> float
__longlong_as_double(long long x) -> double
__low2bfloat16(__nv_bfloat162 x) -> __nv_bfloat16
__low2bfloat162(__nv_bfloat162 x) -> __nv_bfloat162
__low2float(__half2 x) -> float
__low2half(__half2 x) -> __half
__low2half2(__half2 x) -> __half2
__lowhigh2highlow(__half2 x) -> __half2
__lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) -> __nv_bfloat162
__lows2half2(__half2 a, __half2 b) -> __half2
__match_all_sync(unsigned mask, T value, int* predicate) -> unsigned
__match_any_sync(unsigned mask, T value) -> unsigned
__mul24(int a, int b) -> int
__mul64hi(long long a, long long b) -> long long
__mulhi(int a, int b) -> int
__nanosleep(unsigned) -> void
__nv_bfloat16: type
__nv_bfloat162: type
__nv_bfloat162_raw: type
__nv_bfloat16_raw: type
__pipeline_commit() -> void
__pipeline_memcpy_async(void* to_shared, const void* from_global, size_t size, size_t zero_fill = 0) -> void
__pipeline_wait_prior(size_t prior) -> void
__popc(unsigned x) -> int
__popcll(unsigned long long x) -> int
__powf(float x, float y) -> float
__reduce_add_sync(unsigned mask, int value) -> int
__reduce_and_sync(unsigned mask, unsigned value) -> unsigned
__reduce_max_sync(unsigned mask, int value) -> int
__reduce_min_sync(unsigned mask, int value) -> int
__reduce_or_sync(unsigned mask, unsigned value) -> unsigned
__reduce_xor_sync(unsigned mask, unsigned value) -> unsigned
__restrict__: pointer without an alias
__rhadd(int a, int b) -> int
__sad(int a, int b, unsigned sum) -> unsigned
__saturatef(float x) -> float
__shared__: variable of a block
__shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) -> T
__shfl_sync(unsigned mask, T value, int lane, int width = 32) -> T
__shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) -> T
__shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) -> T
__short2bfloat16_rd(short x) -> __nv_bfloat16
__short2bfloat16_rn(short x) -> __nv_bfloat16
__short2bfloat16_ru(short x) -> __nv_bfloat16
__short2bfloat16_rz(short x) -> __nv_bfloat16
__short2half_rd(short x) -> __half
__short2half_rn(short x) -> __half
__short2half_ru(short x) -> __half
__short2half_rz(short x) -> __half
__short_as_bfloat16(short x) -> __nv_bfloat16
__short_as_half(short x) -> __half
__sincosf(float x, float* sine, float* cosine) -> void
__sinf(float x) -> float
__stcg(T* p, T value) -> void
__stcs(T* p, T value) -> void
__stwb(T* p, T value) -> void
__stwt(T* p, T value) -> void
__syncthreads() -> void
__syncthreads_and(int predicate) -> int
__syncthreads_count(int predicate) -> int
__syncthreads_or(int predicate) -> int
__syncwarp(unsigned mask = 0xffffffffu) -> void
__tanf(float x) -> float
__tanhf(float x) -> float
__threadfence() -> void
__threadfence_block() -> void
__threadfence_system() -> void
__uhadd(unsigned a, unsigned b) -> unsigned
__uint2bfloat16_rd(unsigned x) -> __nv_bfloat16
__uint2bfloat16_rn(unsigned x) -> __nv_bfloat16
__uint2bfloat16_ru(unsigned x) -> __nv_bfloat16
__uint2bfloat16_rz(unsigned x) -> __nv_bfloat16
__uint2double_rn(unsigned x) -> double
__uint2float_rd(unsigned a) -> float
__uint2float_rn(unsigned a) -> float
__uint2float_ru(unsigned a) -> float
__uint2float_rz(unsigned a) -> float
__uint2half_rd(unsigned x) -> __half
__uint2half_rn(unsigned x) -> __half
__uint2half_ru(unsigned x) -> __half
__uint2half_rz(unsigned x) -> __half
__uint_as_float(unsigned x) -> float
__ull2bfloat16_rd(unsigned long long x) -> __nv_bfloat16
__ull2bfloat16_rn(unsigned long long x) -> __nv_bfloat16
__ull2bfloat16_ru(unsigned long long x) -> __nv_bfloat16
__ull2bfloat16_rz(unsigned long long x) -> __nv_bfloat16
__ull2double_rd(unsigned long long a) -> double
__ull2double_rn(unsigned long long a) -> double
__ull2double_ru(unsigned long long a) -> double
__ull2double_rz(unsigned long long a) -> double
__ull2float_rd(unsigned long long a) -> float
__ull2float_rn(unsigned long long a) -> float
__ull2float_ru(unsigned long long a) -> float
__ull2float_rz(unsigned long long a) -> float
__ull2half_rd(unsigned long long x) -> __half
__ull2half_rn(unsigned long long x) -> __half
__ull2half_ru(unsigned long long x) -> __half
__ull2half_rz(unsigned long long x) -> __half
__umul24(unsigned a, unsigned b) -> unsigned
__umul64hi(unsigned long long a, unsigned long long b) -> unsigned long long
__umulhi(unsigned a, unsigned b) -> unsigned
__uni_sync(unsigned mask, int predicate) -> int
__urhadd(unsigned a, unsigned b) -> unsigned
__usad(unsigned a, unsigned b, unsigned sum) -> unsigned
__ushort2bfloat16_rd(unsigned short x) -> __nv_bfloat16
__ushort2bfloat16_rn(unsigned short x) -> __nv_bfloat16
__ushort2bfloat16_ru(unsigned short x) -> __nv_bfloat16
__ushort2bfloat16_rz(unsigned short x) -> __nv_bfloat16
__ushort2half_rd(unsigned short x) -> __half
__ushort2half_rn(unsigned short x) -> __half
__ushort2half_ru(unsigned short x) -> __half
__ushort2half_rz(unsigned short x) -> __half
__ushort_as_bfloat16(unsigned short x) -> __nv_bfloat16
__ushort_as_half(unsigned short x) -> __half
__vabs2(unsigned a) -> unsigned
__vabs4(unsigned a) -> unsigned
__vabsdiffs2(unsigned a, unsigned b) -> unsigned
__vabsdiffs4(unsigned a, unsigned b) -> unsigned
__vabsdiffu2(unsigned a, unsigned b) -> unsigned
__vabsdiffu4(unsigned a, unsigned b) -> unsigned
__vabsss2(unsigned a) -> unsigned
__vabsss4(unsigned a) -> unsigned
__vadd2(unsigned a, unsigned b) -> unsigned
__vadd4(unsigned a, unsigned b) -> unsigned
__vaddss2(unsigned a, unsigned b) -> unsigned
__vaddss4(unsigned a, unsigned b) -> unsigned
__vaddus2(unsigned a, unsigned b) -> unsigned
__vaddus4(unsigned a, unsigned b) -> unsigned
__vavgs2(unsigned a, unsigned b) -> unsigned
__vavgs4(unsigned a, unsigned b) -> unsigned
__vavgu2(unsigned a, unsigned b) -> unsigned
__vavgu4(unsigned a, unsigned b) -> unsigned
__vcmpeq2(unsigned a, unsigned b) -> unsigned
__vcmpeq4(unsigned a, unsigned b) -> unsigned
__vcmpges2(unsigned a, unsigned b) -> unsigned
__vcmpges4(unsigned a, unsigned b) -> unsigned
__vcmpgeu2(unsigned a, unsigned b) -> unsigned
__vcmpgeu4(unsigned a, unsigned b) -> unsigned
__vcmpgts2(unsigned a, unsigned b) -> unsigned
__vcmpgts4(unsigned a, unsigned b) -> unsigned
__vcmpgtu2(unsigned a, unsigned b) -> unsigned
__vcmpgtu4(unsigned a, unsigned b) -> unsigned
__vcmples2(unsigned a, unsigned b) -> unsigned
__vcmples4(unsigned a, unsigned b) -> unsigned
__vcmpleu2(unsigned a, unsigned b) -> unsigned
__vcmpleu4(unsigned a, unsigned b) -> unsigned
__vcmplts2(unsigned a, unsigned b) -> unsigned
__vcmplts4(unsigned a, unsigned b) -> unsigned
__vcmpltu2(unsigned a, unsigned b) -> unsigned
__vcmpltu4(unsigned a, unsigned b) -> unsigned
__vcmpne2(unsigned a, unsigned b) -> unsigned
__vcmpne4(unsigned a, unsigned b) -> unsigned
__vhaddu2(unsigned a, unsigned b) -> unsigned
__vhaddu4(unsigned a, unsigned b) -> unsigned
__viaddmax_s16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmax_s32(int a, int b, int c) -> int
__viaddmax_s32_relu(int a, int b, int c) -> int
__viaddmax_u16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmax_u32(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmin_s16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmin_s32(int a, int b, int c) -> int
__viaddmin_s32_relu(int a, int b, int c) -> int
__viaddmin_u16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__viaddmin_u32(unsigned a, unsigned b, unsigned c) -> unsigned
__vimax3_s16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) -> unsigned
__vimax3_s32(int a, int b, int c) -> int
__vimax3_s32_relu(int a, int b, int c) -> int
__vimax3_u16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__vimax3_u32(unsigned a, unsigned b, unsigned c) -> unsigned
__vimax_s16x2_relu(unsigned a, unsigned b) -> unsigned
__vimax_s32_relu(int a, int b) -> int
__vimin3_s16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) -> unsigned
__vimin3_s32(int a, int b, int c) -> int
__vimin3_s32_relu(int a, int b, int c) -> int
__vimin3_u16x2(unsigned a, unsigned b, unsigned c) -> unsigned
__vimin3_u32(unsigned a, unsigned b, unsigned c) -> unsigned
__vimin_s16x2_relu(unsigned a, unsigned b) -> unsigned
__vimin_s32_relu(int a, int b) -> int
__vmaxs2(unsigned a, unsigned b) -> unsigned
__vmaxs4(unsigned a, unsigned b) -> unsigned
__vmaxu2(unsigned a, unsigned b) -> unsigned
__vmaxu4(unsigned a, unsigned b) -> unsigned
__vmins2(unsigned a, unsigned b) -> unsigned
__vmins4(unsigned a, unsigned b) -> unsigned
__vminu2(unsigned a, unsigned b) -> unsigned
__vminu4(unsigned a, unsigned b) -> unsigned
__vneg2(unsigned a) -> unsigned
__vneg4(unsigned a) -> unsigned
__vnegss2(unsigned a) -> unsigned
__vnegss4(unsigned a) -> unsigned
__vsads2(unsigned a, unsigned b) -> unsigned
__vsads4(unsigned a, unsigned b) -> unsigned
__vsadu2(unsigned a, unsigned b) -> unsigned
__vsadu4(unsigned a, unsigned b) -> unsigned
__vseteq2(unsigned a, unsigned b) -> unsigned
__vseteq4(unsigned a, unsigned b) -> unsigned
__vsetges2(unsigned a, unsigned b) -> unsigned
__vsetges4(unsigned a, unsigned b) -> unsigned
__vsetgeu2(unsigned a, unsigned b) -> unsigned
__vsetgeu4(unsigned a, unsigned b) -> unsigned
__vsetgts2(unsigned a, unsigned b) -> unsigned
__vsetgts4(unsigned a, unsigned b) -> unsigned
__vsetgtu2(unsigned a, unsigned b) -> unsigned
__vsetgtu4(unsigned a, unsigned b) -> unsigned
__vsetles2(unsigned a, unsigned b) -> unsigned
__vsetles4(unsigned a, unsigned b) -> unsigned
__vsetleu2(unsigned a, unsigned b) -> unsigned
__vsetleu4(unsigned a, unsigned b) -> unsigned
__vsetlts2(unsigned a, unsigned b) -> unsigned
__vsetlts4(unsigned a, unsigned b) -> unsigned
__vsetltu2(unsigned a, unsigned b) -> unsigned
__vsetltu4(unsigned a, unsigned b) -> unsigned
__vsetne2(unsigned a, unsigned b) -> unsigned
__vsetne4(unsigned a, unsigned b) -> unsigned
__vsub2(unsigned a, unsigned b) -> unsigned
__vsub4(unsigned a, unsigned b) -> unsigned
__vsubss2(unsigned a, unsigned b) -> unsigned
__vsubss4(unsigned a, unsigned b) -> unsigned
__vsubus2(unsigned a, unsigned b) -> unsigned
__vsubus4(unsigned a, unsigned b) -> unsigned
acos(double x) -> double
acosf(float x) -> float
acosh(double x) -> double
acoshf(float x) -> float
asin(double x) -> double
asinf(float x) -> float
asinh(double x) -> double
asinhf(float x) -> float
atan(double x) -> double
atan2(double x, double y) -> double
atan2f(float x, float y) -> float
atanf(float x) -> float
atanh(double x) -> double
atanhf(float x) -> float
atomicAdd(int* address, int value) -> int
atomicAdd_block(int* address, int value) -> int
atomicAdd_system(int* address, int value) -> int
atomicAnd(long long* address, long long value) -> long long
atomicAnd_block(long long* address, long long value) -> long long
atomicAnd_system(long long* address, long long value) -> long long
atomicCAS(int* address, int compare, int value) -> int
atomicCAS_block(int* address, int compare, int value) -> int
atomicCAS_system(int* address, int compare, int value) -> int
atomicDec(unsigned* address, unsigned value) -> unsigned
atomicDec_block(unsigned* address, unsigned value) -> unsigned
atomicDec_system(unsigned* address, unsigned value) -> unsigned
atomicExch(int* address, int value) -> int
atomicExch_block(int* address, int value) -> int
atomicExch_system(int* address, int value) -> int
atomicInc(unsigned* address, unsigned value) -> unsigned
atomicInc_block(unsigned* address, unsigned value) -> unsigned
atomicInc_system(unsigned* address, unsigned value) -> unsigned
atomicMax(int* address, int value) -> int
atomicMax_block(int* address, int value) -> int
atomicMax_system(int* address, int value) -> int
atomicMin(int* address, int value) -> int
atomicMin_block(int* address, int value) -> int
atomicMin_system(int* address, int value) -> int
atomicOr(long long* address, long long value) -> long long
atomicOr_block(long long* address, long long value) -> long long
atomicOr_system(long long* address, long long value) -> long long
atomicSub(int* address, int value) -> int
atomicSub_block(int* address, int value) -> int
atomicSub_system(int* address, int value) -> int
atomicXor(long long* address, long long value) -> long long
atomicXor_block(long long* address, long long value) -> long long
atomicXor_system(long long* address, long long value) -> long long
blockDim: dim3
blockIdx: uint3
cbrt(double x) -> double
cbrtf(float x) -> float
ceil(double x) -> double
ceilf(float x) -> float
char1: type
char2: type
char3: type
char4: type
clock64() -> long long
copysign(double x, double y) -> double
copysignf(float x, float y) -> float
cos(double x) -> double
cosf(float x) -> float
cosh(double x) -> double
coshf(float x) -> float
cospi(double x) -> double
cospif(float x) -> float
cudaChooseDevice(int* device, const cudaDeviceProp* properties) -> cudaError_t
cudaComputeMode: type
cudaDeviceAttr: type
cudaDeviceCanAccessPeer(int* can, int device, int peer) -> cudaError_t
cudaDeviceDisablePeerAccess(int peer) -> cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned flags) -> cudaError_t
cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) -> cudaError_t
cudaDeviceGetCacheConfig(cudaFuncCache* config) -> cudaError_t
cudaDeviceGetLimit(size_t* value, cudaLimit limit) -> cudaError_t
cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) -> cudaError_t
cudaDeviceGetStreamPriorityRange(int* least, int* greatest) -> cudaError_t
cudaDeviceProp: type
cudaDeviceReset(void) -> cudaError_t
cudaDeviceSetCacheConfig(cudaFuncCache config) -> cudaError_t
cudaDeviceSetLimit(cudaLimit limit, size_t value) -> cudaError_t
cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) -> cudaError_t
cudaDeviceSynchronize(void) -> cudaError_t
cudaDriverGetVersion(int* version) -> cudaError_t
cudaError: type
cudaErrorAssert: constant
cudaErrorContextIsDestroyed: constant
cudaErrorCooperativeLaunchTooLarge: constant
cudaErrorCudartUnloading: constant
cudaErrorDeviceUninitialized: constant
cudaErrorDevicesUnavailable: constant
cudaErrorECCUncorrectable: constant
cudaErrorHardwareStackError: constant
cudaErrorHostMemoryAlreadyRegistered: constant
cudaErrorHostMemoryNotRegistered: constant
cudaErrorIllegalAddress: constant
cudaErrorIllegalInstruction: constant
cudaErrorIllegalState: constant
cudaErrorInitializationError: constant
cudaErrorInsufficientDriver: constant
cudaErrorInvalidAddressSpace: constant
cudaErrorInvalidConfiguration: constant
cudaErrorInvalidDevice: constant
cudaErrorInvalidDeviceFunction: constant
cudaErrorInvalidDevicePointer: constant
cudaErrorInvalidHostPointer: constant
cudaErrorInvalidKernelImage: constant
cudaErrorInvalidMemcpyDirection: constant
cudaErrorInvalidPc: constant
cudaErrorInvalidPitchValue: constant
cudaErrorInvalidPtx: constant
cudaErrorInvalidResourceHandle: constant
cudaErrorInvalidSymbol: constant
cudaErrorInvalidValue: constant
cudaErrorLaunchFailure: constant
cudaErrorLaunchOutOfResources: constant
cudaErrorLaunchTimeout: constant
cudaErrorMemoryAllocation: constant
cudaErrorMisalignedAddress: constant
cudaErrorMissingConfiguration: constant
cudaErrorNoDevice: constant
cudaErrorNoKernelImageForDevice: constant
cudaErrorNotPermitted: constant
cudaErrorNotReady: constant
cudaErrorNotSupported: constant
cudaErrorOperatingSystem: constant
cudaErrorPeerAccessAlreadyEnabled: constant
cudaErrorPeerAccessNotEnabled: constant
cudaErrorPeerAccessUnsupported: constant
cudaErrorProfilerDisabled: constant
cudaErrorSetOnActiveProcess: constant
cudaErrorSymbolNotFound: constant
cudaErrorUnknown: constant
cudaErrorUnsupportedLimit: constant
cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) -> cudaError_t
cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) -> cudaError_t
cudaEventDestroy(cudaEvent_t event) -> cudaError_t
cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) -> cudaError_t
cudaEventInterprocess: constant
cudaEventQuery(cudaEvent_t event) -> cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) -> cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0) -> cudaError_t
cudaEventSynchronize(cudaEvent_t event) -> cudaError_t
cudaFree(void* address) -> cudaError_t
cudaFreeAsync(void* address, cudaStream_t stream) -> cudaError_t
cudaFreeHost(void* address) -> cudaError_t
cudaFuncAttribute: type
cudaFuncAttributes: type
cudaFuncCache: type
cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* function) -> cudaError_t
cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value) -> cudaError_t
cudaFuncSetCacheConfig(F*, cudaFuncCache) -> cudaError_t
cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) -> cudaError_t
cudaGetDevice(int* device) -> cudaError_t
cudaGetDeviceCount(int* count) -> cudaError_t
cudaGetDeviceFlags(unsigned* flags) -> cudaError_t
cudaGetDeviceProperties(cudaDeviceProp* properties, int device) -> cudaError_t
cudaGetErrorName(cudaError_t error) -> const char*
cudaGetErrorString(cudaError_t error) -> const char*
cudaGetLastError(void) -> cudaError_t
cudaGetSymbolAddress(P** address, const T& symbol) -> cudaError_t
cudaGetSymbolSize(size_t* size, const T& symbol) -> cudaError_t
cudaHostAlloc(T** address, size_t size, unsigned) -> cudaError_t
cudaHostAllocWriteCombined: constant
cudaHostGetDevicePointer(T** device, void* host, unsigned) -> cudaError_t
cudaHostGetFlags(unsigned* flags, void* address) -> cudaError_t
cudaHostRegister(void* address, size_t size, unsigned flags) -> cudaError_t
cudaHostRegisterMapped: constant
cudaHostRegisterReadOnly: constant
cudaHostUnregister(void* address) -> cudaError_t
cudaInitDevice(int device, unsigned device_flags, unsigned flags) -> cudaError_t
cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0, cudaStream_t stream = nullptr) -> cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) -> cudaError_t
cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0, cudaStream_t stream = nullptr) -> cudaError_t
cudaLimit: type
cudaMalloc(T** address, size_t size) -> cudaError_t
cudaMallocAsync(T** address, size_t size, cudaStream_t) -> cudaError_t
cudaMallocHost(T** address, size_t size, unsigned = 0) -> cudaError_t
cudaMallocManaged(T** address, size_t size, unsigned = cudaMemAttachGlobal) -> cudaError_t
cudaMallocPitch(T** address, size_t* pitch, size_t width, size_t height) -> cudaError_t
cudaMemAdvise(const void* address, size_t size, cudaMemoryAdvise, int device) -> cudaError_t
cudaMemAdviseSetAccessedBy: constant
cudaMemAdviseSetPreferredLocation: constant
cudaMemAdviseSetReadMostly: constant
cudaMemAdviseUnsetAccessedBy: constant
cudaMemAdviseUnsetPreferredLocation: constant
cudaMemAdviseUnsetReadMostly: constant
cudaMemGetInfo(size_t* free, size_t* total) -> cudaError_t
cudaMemLocation: type
cudaMemLocationType: type
cudaMemLocationTypeDevice: constant
cudaMemLocationTypeHost: constant
cudaMemLocationTypeInvalid: constant
cudaMemPrefetchAsync(const void* address, size_t size, int device, cudaStream_t = nullptr) -> cudaError_t
cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) -> cudaError_t
cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) -> cudaError_t
cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) -> cudaError_t
cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream = nullptr) -> cudaError_t
cudaMemcpyDefault: constant
cudaMemcpyDeviceToDevice: constant
cudaMemcpyDeviceToHost: constant
cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) -> cudaError_t
cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream = nullptr) -> cudaError_t
cudaMemcpyHostToDevice: constant
cudaMemcpyHostToHost: constant
cudaMemcpyKind: type
cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t size) -> cudaError_t
cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) -> cudaError_t
cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream = nullptr) -> cudaError_t
cudaMemoryAdvise: type
cudaMemoryType: type
cudaMemoryTypeDevice: constant
cudaMemoryTypeHost: constant
cudaMemoryTypeManaged: constant
cudaMemoryTypeUnregistered: constant
cudaMemset(void* address, int value, size_t size) -> cudaError_t
cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height) -> cudaError_t
cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = nullptr) -> cudaError_t
cudaMemsetAsync(void* address, int value, size_t size, cudaStream_t stream = nullptr) -> cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, F*, int num_blocks, int block_size) -> cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, F*, int block_size, size_t shared_bytes) -> cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, F*, int block_size, size_t shared_bytes, unsigned) -> cudaError_t
cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function, size_t shared_bytes = 0, int limit = 0) -> cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F*, S shared_bytes_of, int limit = 0) -> cudaError_t
cudaPeekAtLastError(void) -> cudaError_t
cudaPointerAttributes: type
cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) -> cudaError_t
cudaRuntimeGetVersion(int* version) -> cudaError_t
cudaSetDevice(int device) -> cudaError_t
cudaSetDeviceFlags(unsigned flags) -> cudaError_t
cudaSharedCarveout: type
cudaSharedMemConfig: type
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* argument, unsigned flags) -> cudaError_t
cudaStreamCreate(cudaStream_t* stream) -> cudaError_t
cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) -> cudaError_t
cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) -> cudaError_t
cudaStreamDestroy(cudaStream_t stream) -> cudaError_t
cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) -> cudaError_t
cudaStreamGetPriority(cudaStream_t stream, int* priority) -> cudaError_t
cudaStreamQuery(cudaStream_t stream) -> cudaError_t
cudaStreamSynchronize(cudaStream_t stream) -> cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) -> cudaError_t
cudaSuccess: constant
cyl_bessel_i0(double x) -> double
cyl_bessel_i0f(float x) -> float
cyl_bessel_i1(double x) -> double
cyl_bessel_i1f(float x) -> float
dim3: type
double1: type
double2: type
double3: type
double4: type
double4_16a: type
double4_32a: type
erf(double x) -> double
erfc(double x) -> double
erfcf(float x) -> float
erfcinv(double y) -> double
erfcinvf(float x) -> float
erfcx(double x) -> double
erfcxf(float x) -> float
erff(float x) -> float
erfinv(double x) -> double
erfinvf(float x) -> float
exp(double x) -> double
exp10(float x) -> float
exp10f(float x) -> float
exp2(double x) -> double
exp2f(float x) -> float
expf(float x) -> float
expm1(double x) -> double
expm1f(float x) -> float
fabs(double x) -> double
fabsf(float x) -> float
fdividef(float x, float y) -> float
float1: type
float2: type
float3: type
float4: type
floor(double x) -> double
floorf(float x) -> float
fmax(double a, double b) -> double
fmaxf(float a, float b) -> float
fmin(double a, double b) -> double
fminf(float a, float b) -> float
fmod(double x, double y) -> double
fmodf(float x, float y) -> float
globaltimer() -> unsigned long long
gridDim: dim3
h2ceil(__half2 value) -> __half2
h2cos(__half2 value) -> __half2
h2exp(__half2 value) -> __half2
h2exp10(__half2 value) -> __half2
h2exp2(__half2 value) -> __half2
h2floor(__half2 value) -> __half2
h2log(__half2 value) -> __half2
h2log10(__half2 value) -> __half2
h2log2(__half2 value) -> __half2
h2rcp(__half2 value) -> __half2
h2rint(__half2 value) -> __half2
h2rsqrt(__half2 value) -> __half2
h2sin(__half2 value) -> __half2
h2sqrt(__half2 value) -> __half2
h2tanh(__half2 value) -> __half2
h2tanh_approx(__half2 value) -> __half2
h2trunc(__half2 value) -> __half2
half: type
hceil(__half value) -> __half
hcos(__half value) -> __half
hexp(__half value) -> __half
hexp10(__half value) -> __half
hexp2(__half value) -> __half
hfloor(__half value) -> __half
hlog(__half value) -> __half
hlog10(__half value) -> __half
hlog2(__half value) -> __half
hrcp(__half value) -> __half
hrint(__half value) -> __half
hrsqrt(__half value) -> __half
hsin(__half value) -> __half
hsqrt(__half value) -> __half
htanh(__half value) -> __half
htanh_approx(__half value) -> __half
htrunc(__half value) -> __half
hypot(double x, double y) -> double
hypotf(float x, float y) -> float
int1: type
int2: type
int3: type
int4: type
j0(float x) -> float
j1(float x) -> float
jn(int n, float x) -> float
ldexp(double x, double y) -> double
ldexpf(float x, float y) -> float
lgamma(double x) -> double
lgammaf(float x) -> float
llmax(long long a, long long b) -> long long
llmin(long long a, long long b) -> long long
log(double x) -> double
log10(double x) -> double
log10f(float x) -> float
log1p(double x) -> double
log1pf(float x) -> float
log2(double x) -> double
log2f(float x) -> float
logf(float x) -> float
long1: type
long2: type
long3: type
long4: type
long4_16a: type
long4_32a: type
longlong1: type
longlong2: type
longlong3: type
longlong4: type
longlong4_16a: type
longlong4_32a: type
make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) -> __nv_bfloat162
make_char1(signed char x) -> char1
make_char2(signed char x, signed char y) -> char2
make_char3(signed char x, signed char y, signed char z) -> char3
make_char4(signed char x, signed char y, signed char z, signed char w) -> char4
make_double1(double x) -> double1
make_double2(double x, double y) -> double2
make_double3(double x, double y, double z) -> double3
make_double4(double x, double y, double z, double w) -> double4
make_double4_16a(double x, double y, double z, double w) -> double4_16a
make_double4_32a(double x, double y, double z, double w) -> double4_32a
make_float1(float x) -> float1
make_float2(float x, float y) -> float2
make_float3(float x, float y, float z) -> float3
make_float4(float x, float y, float z, float w) -> float4
make_half2(__half x, __half y) -> __half2
make_int1(int x) -> int1
make_int2(int x, int y) -> int2
make_int3(int x, int y, int z) -> int3
make_int4(int x, int y, int z, int w) -> int4
make_long1(long x) -> long1
make_long2(long x, long y) -> long2
make_long3(long x, long y, long z) -> long3
make_long4(long x, long y, long z, long w) -> long4
make_long4_16a(long x, long y, long z, long w) -> long4_16a
make_long4_32a(long x, long y, long z, long w) -> long4_32a
make_longlong1(long long x) -> longlong1
make_longlong2(long long x, long long y) -> longlong2
make_longlong3(long long x, long long y, long long z) -> longlong3
make_longlong4(long long x, long long y, long long z, long long w) -> longlong4
make_longlong4_16a(long long x, long long y, long long z, long long w) -> longlong4_16a
make_longlong4_32a(long long x, long long y, long long z, long long w) -> longlong4_32a
make_short1(short x) -> short1
make_short2(short x, short y) -> short2
make_short3(short x, short y, short z) -> short3
make_short4(short x, short y, short z, short w) -> short4
make_uchar1(unsigned char x) -> uchar1
make_uchar2(unsigned char x, unsigned char y) -> uchar2
make_uchar3(unsigned char x, unsigned char y, unsigned char z) -> uchar3
make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) -> uchar4
make_uint1(unsigned x) -> uint1
make_uint2(unsigned x, unsigned y) -> uint2
make_uint3(unsigned x, unsigned y, unsigned z) -> uint3
make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) -> uint4
make_ulong1(unsigned long x) -> ulong1
make_ulong2(unsigned long x, unsigned long y) -> ulong2
make_ulong3(unsigned long x, unsigned long y, unsigned long z) -> ulong3
make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) -> ulong4
make_ulong4_16a(unsigned long x, unsigned long y, unsigned long z, unsigned long w) -> ulong4_16a
make_ulong4_32a(unsigned long x, unsigned long y, unsigned long z, unsigned long w) -> ulong4_32a
make_ulonglong1(unsigned long long x) -> ulonglong1
make_ulonglong2(unsigned long long x, unsigned long long y) -> ulonglong2
make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) -> ulonglong3
make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) -> ulonglong4
make_ulonglong4_16a(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) -> ulonglong4_16a
make_ulonglong4_32a(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) -> ulonglong4_32a
make_ushort1(unsigned short x) -> ushort1
make_ushort2(unsigned short x, unsigned short y) -> ushort2
make_ushort3(unsigned short x, unsigned short y, unsigned short z) -> ushort3
make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) -> ushort4
max(int a, int b) -> int
min(int a, int b) -> int
norm(int dim, const double* p) -> double
norm3d(double a, double b, double c) -> double
norm3df(float a, float b, float c) -> float
norm4d(double a, double b, double c, double d) -> double
norm4df(float a, float b, float c, float d) -> float
normcdf(double x) -> double
normcdff(float x) -> float
normcdfinv(double p) -> double
normcdfinvf(float x) -> float
normf(int dim, const float* p) -> float
pow(double x, double y) -> double
powf(float x, float y) -> float
printf(const char* format, ...) -> int
rcbrt(double x) -> double
rcbrtf(float x) -> float
remainder(double x, double y) -> double
remainderf(float x, float y) -> float
rhypot(double a, double b) -> double
rhypotf(float a, float b) -> float
rint(double x) -> double
rintf(float x) -> float
rnorm(int dim, const double* p) -> double
rnorm3d(double a, double b, double c) -> double
rnorm3df(float a, float b, float c) -> float
rnorm4d(double a, double b, double c, double d) -> double
rnorm4df(float a, float b, float c, float d) -> float
rnormf(int dim, const float* p) -> float
round(double x) -> double
roundf(float x) -> float
rsqrt(double x) -> double
rsqrtf(float x) -> float
short1: type
short2: type
short3: type
short4: type
sin(double x) -> double
sincos(float x, float* sine, float* cosine) -> void
sincospi(double x, double* sine, double* cosine) -> void
sincospif(float x, float* sine, float* cosine) -> void
sinf(float x) -> float
sinh(double x) -> double
sinhf(float x) -> float
sinpi(double x) -> double
sinpif(float x) -> float
sqrt(double x) -> double
sqrtf(float x) -> float
tan(double x) -> double
tanf(float x) -> float
tanh(double x) -> double
tanhf(float x) -> float
tgamma(double x) -> double
tgammaf(float x) -> float
threadIdx: uint3
trunc(double x) -> double
truncf(float x) -> float
uchar1: type
uchar2: type
uchar3: type
uchar4: type
uint1: type
uint2: type
uint3: type
uint4: type
ullmax(unsigned long long a, unsigned long long b) -> unsigned long long
ullmin(unsigned long long a, unsigned long long b) -> unsigned long long
ulong1: type
ulong2: type
ulong3: type
ulong4: type
ulong4_16a: type
ulong4_32a: type
ulonglong1: type
ulonglong2: type
ulonglong3: type
ulonglong4: type
ulonglong4_16a: type
ulonglong4_32a: type
umax(unsigned a, unsigned b) -> unsigned
umin(unsigned a, unsigned b) -> unsigned
ushort1: type
ushort2: type
ushort3: type
ushort4: type
warpSize: int
y0(float x) -> float
y1(float x) -> float
yn(int n, float x) -> float
@cooperative_groups
binary_partition(const G& group, bool predicate) -> coalesced_group
bit_and: type
bit_or: type
bit_xor: type
block_tile_memory: type
coalesced_group: type
coalesced_threads() -> coalesced_group
greater: type
grid_group: type
group_size(const G& group) -> auto
invoke_one(const G& group, F&& function, A&&... arguments) -> void
invoke_one_broadcast(const G& group, F&& function, A&&... arguments) -> auto
labeled_partition(const G& group, T label) -> coalesced_group
less: type
plus: type
reduce(const G& group, T&& value, F&& operation) -> std::decay_t<T>
sync(const G& group) -> void
this_grid() -> grid_group
this_thread() -> thread_block_tile<1>
this_thread_block() -> thread_block
thread_block: type
thread_block_tile: type
thread_group: type
thread_rank(const G& group) -> auto
tiled_partition(const thread_block&) -> thread_block_tile<Size, thread_block>
@nvcuda::wmma
__float_to_tf32(float x) -> float
accumulator: type
col_major: type
fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const typename fragment<Use, m, n, k, T, Layout>::storage_element_type& value) -> void
fragment: type
layout_t: type
load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f, const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from, unsigned ldm) -> void
matrix_a: type
matrix_b: type
mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, A, LayoutA>& a, const fragment<matrix_b, m, n, k, B, LayoutB>& b, const fragment<accumu
row_major: type
store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout) -> void
`;
