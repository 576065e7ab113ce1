// over: good/classic.cu
// verdict: RACE
// group: sample
// en: A tile is complete only after __syncthreads.
// zh: 写完瓦片要先 `__syncthreads()`，才能读。
@@
         b[y][x] = k + y < K && col < N ? B[(k + y) * ldb + col] : 0.0f;
-        __syncthreads();
