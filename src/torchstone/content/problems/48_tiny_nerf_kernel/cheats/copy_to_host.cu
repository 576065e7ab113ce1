// over: good/ray_per_thread.cu
// verdict: FORBIDDEN_OP
// en: Fetches the rays to the host, to find out there which of them meet the cube.
// zh: 把光线取回主机，在主机上判断哪些会打中立方体。
@@
+float host_rays[1 << 16];
+
 }  // namespace
@@
     const unsigned num_blocks = (R - 1) / num_threads + 1;
+    cudaMemcpyAsync(host_rays, rays_o, 3 * sizeof(float) * R, cudaMemcpyDeviceToHost, stream);
     forward_kernel<<<num_blocks, num_threads, 0, stream>>>(scene, rgb, depth, opacity, steps);
