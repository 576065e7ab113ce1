# over: solution.py
# verdict: WA value
# group: scale
# en: The module has to be as exact as the function: let it call the function.
# zh: 模块要和函数一样精确：让它调用这个函数。
@@
-        return stable_layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
+        check(x, self.normalized_shape, self.weight, self.bias, self.eps)
+        dims = tuple(range(-len(self.normalized_shape), 0))
+        wide = x.to(torch.promote_types(x.dtype, torch.float32))
+        variance, mean = torch.var_mean(wide, dims, correction=0, keepdim=True)
+        y = (wide - mean) * torch.rsqrt(variance + self.eps)
+        y = y if self.weight is None else y * self.weight.to(wide.dtype)
+        y = y if self.bias is None else y + self.bias.to(wide.dtype)
+        return y.to(x.dtype)
