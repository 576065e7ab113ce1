# over: solution.py
# verdict: WA property
# group: memory
# en: The output says all that the gradient needs; the input might be overwritten or freed.
# zh: 梯度所需的信息输出里都有；输入本可以被改写或释放。
@@
-    ctx.save_for_backward(output)
+    ctx.save_for_backward(*inputs)
