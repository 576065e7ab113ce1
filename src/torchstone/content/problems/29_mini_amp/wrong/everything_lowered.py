# over: solution.py
# verdict: WA dtype
# group: other
# en: Lowers every operation that is not listed for float32. What is not listed runs in the
#     types of its inputs.
# zh: 凡是没列入 float32 的运算都转成半精度。没列出的运算应按输入的类型执行。
@@
                 args, kwargs = cast_all((args, kwargs), torch.float32)
+            elif name in ("relu", "add", "sub", "mul", "cat", "maximum", "stack"):
+                args, kwargs = cast_all((args, kwargs), dtype)
