// over: good/through_double.cpp
// verdict: WA value
// group: layout
// en: numel elements are not numel consecutive addresses: follow the strides, or make a dense
//   copy.
// zh: 元素有 numel 个，并不等于地址连续：要么按 stride 走，要么先复制成稠密张量。
@@ The result is written where it belongs; what is read are numel consecutive addresses.
-        *target = sum(*source);
+        *target = sum(*source++);
         for (Wheel& wheel : wheels) {
-            source += wheel.read;
             target += wheel.write;
@@
-            source -= wheel.read * wheel.size;
             target -= wheel.write * wheel.size;
