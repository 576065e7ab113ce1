// over: good/counting_rank.cu
// verdict: WA grad
// group: grad_dense
// en: Where alpha was clamped to 0.99 it no longer depends on opacity, place or shape.
// zh: α 被截到 0.99 的地方，它不再依赖不透明度、位置和形状。
@@
-        if (splat.is_clamped) {
-            continue;
-        }
