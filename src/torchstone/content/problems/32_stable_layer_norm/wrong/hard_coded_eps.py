# over: solution.py
# verdict: WA value
# group: small
# en: eps is an argument; a module has to hand on its own.
# zh: eps 是参数；模块要把自己的 eps 传下去。
@@
-        return stable_layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
+        return stable_layer_norm(x, self.normalized_shape, self.weight, self.bias)
