# over: solution.py
# verdict: WA property
# group: errors
# en: The fake must refuse what the operator refuses.
# zh: fake 也要拒绝算子所拒绝的输入。
@@
 def _(x: Tensor) -> Tensor:
-    check(x)
