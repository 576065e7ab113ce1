# over: solution.py
# verdict: WA property
# group: errors
# en: The fake must refuse what the kernel refuses.
# zh: fake 也要拒绝真正的实现所拒绝的输入。
@@
 def _(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
-    check(a, b)
