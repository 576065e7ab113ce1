# over: solution.py
# verdict: WA value
# group: scale
# en: exp(-85) is small, but a float32 like any other: only below exp(-87) do the numbers end.
# zh: exp(-85) 虽小，仍是正常的 float32：到 exp(-87) 以下才没有正常数可用。
@@
-    """Turn scores into probabilities along one dimension."""
@@
-    weights = shifted.exp()
+    weights = torch.where(shifted > -80, shifted.exp(), 0)
