# over: solution.py
# verdict: RTE | WA dtype
# group: low
# en: Casts positional arguments only; tensors can be passed by keyword.
# zh: 只转换位置参数；张量也可以用关键字传入。
@@
-                args, kwargs = cast_all((args, kwargs), dtype)
+                args = cast_all(args, dtype)
@@
-                args, kwargs = cast_all((args, kwargs), torch.float32)
+                args = cast_all(args, torch.float32)
