// over: good/ray_per_thread.cu
// verdict: WA grad
// en: A gradient of zeros: it is what a learning rate of 0 would make of any.
// zh: 交一个全零的梯度，反正学习率为 0 时都一样。
@@
-struct Given {
-    const float *grad_rgb, *grad_depth, *grad_opacity, *rgb, *depth, *opacity;
-    const int* steps;
-};
-
-__device__ void add_to_lattice(float* grad_field, const Scene& scene, const Sample& sample,
-                               const float* grad_raw) {
-    for (int corner = 0; corner < 8; corner++) {
-        float* const node = grad_field + 4 * node_of(sample.cell, corner, scene.G);
-        for (int c = 0; c < 4; c++) {
-            atomicAdd(&node[c], weight_of(sample.cell, corner) * grad_raw[c]);
-        }
-    }
-}
-
-__global__ void backward_kernel(Scene scene, Given given, float* grad_field) {
-    const long long ray = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
-    if (ray >= scene.R) {
-        return;
-    }
-    const float grad_depth = given.grad_depth ? given.grad_depth[ray] : 0.0f;
-    const float grad_opacity = given.grad_opacity ? given.grad_opacity[ray] : 0.0f;
-    const float* const grad_rgb = given.grad_rgb + 3 * ray;
-    const float T_end = 1.0f - given.opacity[ray];
-    // What lies behind the samples already passed, the background included.
-    float behind = grad_depth * given.depth[ray] - grad_opacity * T_end;
-    for (int c = 0; c < 3; c++) {
-        behind += grad_rgb[c] * given.rgb[3 * ray + c];
-    }
-    float T = 1.0f;
-    for (int i = 0; i < given.steps[ray]; i++) {
-        const Sample sample = look(scene, ray, i);
-        if (!sample.is_inside) {
-            continue;
-        }
-        const float tau = density_of(sample) * scene.dt;
-        const float weight = T * -expm1f(-tau);
-        float worth = grad_depth * sample.t, grad_raw[4];
-        for (int c = 0; c < 3; c++) {
-            const float colour = colour_of(sample, c);
-            worth += grad_rgb[c] * colour;
-            grad_raw[1 + c] = weight * grad_rgb[c] * colour * (1.0f - colour);
-        }
-        T *= expf(-tau);
-        behind -= weight * worth;
-        grad_raw[0] = sigmoid(sample.raw[0]) * scene.dt * (T * worth - behind);
-        add_to_lattice(grad_field, scene, sample, grad_raw);
-    }
-}
-
@@
-    const Scene scene{rays_o, rays_d, field, bg, R, G, S, t_near, dt, T_min};
-    const Given given{grad_rgb, grad_depth, grad_opacity, rgb, depth, opacity, steps};
-    const unsigned num_blocks = (R - 1) / num_threads + 1;
-    backward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, given, grad_field);
