// over: good/counting_rank.cu
// verdict: RACE
// group: sample
// en: A batch is complete only behind a barrier: others have loaded what you read.
// zh: 过了屏障，一批数据才算装完：你要读的是别的线程装入的。
@@
-        __syncthreads();
