// over: good/classic.cu
// verdict: RACE
// group: sample
// en: A fast warp overwrites what a slow one still reads: let a barrier come before the next load.
// zh: 快的 warp 会覆盖慢的 warp 正在读的数据：下一次加载之前还要一次屏障。
@@
         }
-        __syncthreads();
