# over: solution.py
# verdict: WA property
# group: alias
# en: `unsqueeze` is a view: training code that works in place edits the dataset.
# zh: unsqueeze 是视图：训练中的原地操作会改写数据集。
@@
     mask = torch.arange(total) < lengths[:, None]
+    if len(samples) == 1 and total == longest:
+        data = first.detach().contiguous().unsqueeze(0 if batch_first else 1)
