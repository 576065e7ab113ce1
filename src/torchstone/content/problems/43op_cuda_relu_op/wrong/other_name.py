# over: solution.py
# verdict: WA property
# group: sample
# en: A schema is a promise to the letter: the name of an argument belongs to it.
# zh: schema 要一字不差：参数名也是它的一部分。
@@
-def relu(x: Tensor) -> Tensor:
+def relu(input: Tensor) -> Tensor:
+    x = input
     check(x)
     x = x.contiguous()
@@
-def _(x: Tensor) -> Tensor:
-    check(x)
-    return torch.empty_like(x, memory_format=torch.contiguous_format)
+def _(input: Tensor) -> Tensor:
+    check(input)
+    return torch.empty_like(input, memory_format=torch.contiguous_format)
