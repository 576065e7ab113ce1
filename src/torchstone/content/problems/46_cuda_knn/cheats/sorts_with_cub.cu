// over: good/shifted_list.cu
// verdict: CE
// en: Lets cub sort all distances; the problem is to keep a short list.
// zh: 让 cub 把所有距离排序；本题要写的正是那个短列表。
@@
 #include <cuda_runtime.h>
+#include <cub/cub.cuh>
