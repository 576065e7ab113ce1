# over: solution.py
# verdict: WA value
# group: sample
# en: One mask for the whole sample: a sample half outside keeps its corners inside.
# zh: 给整个采样点用一个掩码；半出界的样本应保留界内的角点。
@@
-        return [_select(low, 1 - t, size), _select(low + 1, t, size)]
+        whole = (low >= 0) & (low + 1 <= size - 1) | (padding_mode != "zeros")
+        t = torch.where(whole, t, 0.0)
+        return [_select(low, torch.where(whole, 1 - t, 0.0), size), _select(low + 1, t, size)]
