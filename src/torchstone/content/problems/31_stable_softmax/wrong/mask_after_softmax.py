# over: solution.py
# verdict: WA value
# group: small
# en: A masked entry must leave the denominator, too: mask before the exponentials, not after the division.
# zh: 被遮的元素也必须离开分母：应在取指数之前遮，而不是相除之后。
@@ def prepare
-    scores = hide(scores, mask, NEVER)
