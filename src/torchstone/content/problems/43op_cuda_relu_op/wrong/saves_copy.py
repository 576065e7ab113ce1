# over: solution.py
# verdict: WA property
# group: memory
# en: autograd keeps the output as it is; a copy doubles the memory.
# zh: autograd 会直接保存输出；再复制一份，内存就翻倍。
@@
-    ctx.save_for_backward(output)
+    ctx.save_for_backward(output.detach().clone())
