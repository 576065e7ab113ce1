# over: good/var_mean.py
# verdict: FORBIDDEN_OP
# en: The operator itself.
# zh: 直接调用内置算子。
@@
-        if tuple(x.shape[-len(self.normalized_shape) :]) != self.normalized_shape:
-            raise ValueError(
-                f"LayerNorm: {tuple(x.shape)} does not end in {self.normalized_shape}."
-            )
-        dims = tuple(range(-len(self.normalized_shape), 0))
-        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
-        variance, mean = torch.var_mean(wide, dims, correction=0, keepdim=True)
-        y = (wide - mean) / torch.sqrt(variance + self.eps)
-        if self.weight is not None and self.bias is not None:
-            y = torch.addcmul(self.bias, y, self.weight)
-        elif self.weight is not None:
-            y = y * self.weight
-        return y.to(x.dtype)
+        return nn.functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
