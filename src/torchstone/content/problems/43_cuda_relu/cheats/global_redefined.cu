// over: good/thread_per_element.cu
// verdict: CE
// en: __global__ becomes nothing, and the kernel an ordinary function of the host.
// zh: 把 `__global__` 定义为空，核函数就成了普通的主机函数。
@@
 #include <cuda_runtime.h>
+
+#define __global__ static
