# over: solution.py
# verdict: WA property
# group: sample
# en: h_n is a view of output: writing into one result changes the other. Each owns its memory.
# zh: `h_n` 是 `output` 的视图：写入其中一个会改变另一个。每个返回值都应拥有自己的内存。
@@
-    """Run h = act(W_ih x + b_ih + W_hh h + b_hh) through time, as a one-layer nn.RNN does."""
-
@@
-        return (output.transpose(0, 1) if self.batch_first else output), h.unsqueeze(0)
+        last = h.unsqueeze(0)
+        if valid is None and num_steps:
+            last = output[-1:]
+        return (output.transpose(0, 1) if self.batch_first else output), last
