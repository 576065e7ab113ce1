// over: good/counting_rank.cu
// verdict: UNINIT
// group: grad
// en: What is added to must begin at 0; gradients arrive with whatever was there before.
// zh: 要累加的数组得从 0 开始；传进来的梯度里是原先残留的内容。
@@
-    const size_t size = N * sizeof(float);
-    cudaMemsetAsync(grad_xy, 0, 2 * size, stream);
-    cudaMemsetAsync(grad_conic, 0, 3 * size, stream);
-    cudaMemsetAsync(grad_opacity, 0, size, stream);
-    cudaMemsetAsync(grad_color, 0, 3 * size, stream);
