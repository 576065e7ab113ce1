# over: solution.py
# verdict: WA property
# group: sample
# en: A schema is a promise to the letter: a default value belongs to it.
# zh: schema 要一字不差：默认值也是它的一部分。
@@
-def add(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
+def add(a: Tensor, b: Tensor, alpha: float) -> Tensor:
