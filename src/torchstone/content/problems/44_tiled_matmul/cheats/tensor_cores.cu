// over: good/classic.cu
// verdict: CE
// en: Includes mma.h, whose TF32 keeps eleven bits of each number.
// zh: 包含 `mma.h`，而 TF32 只保留每个数的 11 位。
@@
 #include <cuda_runtime.h>
+#include <mma.h>
