# over: solution.py
# verdict: WA property
# group: edge
# en: f returned several numbers, and they were added up; a Hessian belongs to one number.
# zh: f 返回了多个数，却被加在一起；海森矩阵属于单个数。
@@
 def one_number(y: Tensor) -> Tensor:
-    if y.numel() != 1:
-        raise ValueError(f"f must return one number, not {tuple(y.shape)}")
     return y.sum()
