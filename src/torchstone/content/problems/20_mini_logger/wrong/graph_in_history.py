# over: solution.py
# verdict: WA property
# group: tensor
# en: A stored loss keeps its graph with all activations alive: detach it.
# zh: 存下 loss 就留住了整张计算图和所有激活：要 detach。
@@
-        return value.detach().clone().reshape(())
+        return value.clone().reshape(())
@@
-    tensors = [value.double() for _, value in new if isinstance(value, Tensor)]
+    tensors = [value.detach().double() for _, value in new if isinstance(value, Tensor)]
