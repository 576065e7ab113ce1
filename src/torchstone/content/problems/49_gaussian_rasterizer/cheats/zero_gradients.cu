// over: good/counting_rank.cu
// verdict: WA grad
// en: Only clears the gradients.
// zh: 只把梯度清零，什么也不累加。
@@
-__global__ void backward_kernel(const float* grad_image, const float* xy, const float* conic,
-                                const float* radius, const float* opacity, const float* color,
-                                const float* bg, const int* order, const float* final_T,
-                                const int* n_last, int N, int W, int H, float* grad_xy,
-                                float* grad_conic, float* grad_opacity, float* grad_color) {
-    const int x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
-    if (x >= W || y >= H) {
-        return;
-    }
-    const int at = y * W + x;
-    const float gr = grad_image[3 * at], gg = grad_image[3 * at + 1], gb = grad_image[3 * at + 2];
-    float T = final_T[at];
-    // What is seen behind, times the gradient: at first the background.
-    float behind = T * (gr * bg[0] + gg * bg[1] + gb * bg[2]);
-    for (int i = n_last[at] - 1; i >= 0; i--) {
-        const int n = order[i];
-        const float A = conic[3 * n], B = conic[3 * n + 1], C = conic[3 * n + 2];
-        const float4 place = make_float4(xy[2 * n], xy[2 * n + 1], radius[n], opacity[n]);
-        const Splat splat = look(place, make_float4(A, B, C, 0), x, y);
-        const float alpha = splat.alpha, dx = splat.dx, dy = splat.dy;
-        if (alpha == 0) {
-            continue;
-        }
-        T /= 1 - alpha;
-        const float weight = alpha * T;
-        atomicAdd(&grad_color[3 * n], weight * gr);
-        atomicAdd(&grad_color[3 * n + 1], weight * gg);
-        atomicAdd(&grad_color[3 * n + 2], weight * gb);
-        const float dot = gr * color[3 * n] + gg * color[3 * n + 1] + gb * color[3 * n + 2];
-        const float grad_alpha = dot * T - behind / (1 - alpha);
-        behind += weight * dot;
-        if (splat.is_clamped) {
-            continue;
-        }
-        const float grad_power = alpha * grad_alpha;
-        atomicAdd(&grad_opacity[n], splat.falloff * grad_alpha);
-        atomicAdd(&grad_xy[2 * n], -grad_power * (A * dx + B * dy));
-        atomicAdd(&grad_xy[2 * n + 1], -grad_power * (B * dx + C * dy));
-        atomicAdd(&grad_conic[3 * n], -0.5f * grad_power * dx * dx);
-        atomicAdd(&grad_conic[3 * n + 1], -grad_power * dx * dy);
-        atomicAdd(&grad_conic[3 * n + 2], -0.5f * grad_power * dy * dy);
-    }
-}
-
@@
-    const dim3 block(tile_size, tile_size);
-    backward_kernel<<<grid_for(W, H), block, 0, stream>>>(
-        grad_image, xy, conic, radius, opacity, color, bg, order, final_T, n_last, N, W, H, grad_xy,
-        grad_conic, grad_opacity, grad_color);
