# over: solution.py
# verdict: WA property
# group: small
# en: elementwise_affine=False leaves out the bias as well.
# zh: `elementwise_affine=False` 时，偏置也没有。
@@
-            if bias:
-                self.bias = nn.Parameter(
-                    torch.zeros(self.normalized_shape, device=device, dtype=dtype)
-                )
+        if bias:
+            self.bias = nn.Parameter(
+                torch.zeros(self.normalized_shape, device=device, dtype=dtype)
+            )
