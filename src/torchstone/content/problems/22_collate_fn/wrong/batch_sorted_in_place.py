# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: `batch.sort` reorders the list of the caller; the order of the samples is kept.
# zh: batch.sort 改动了调用者的列表；样本的顺序应保持不变。
@@
         raise ValueError(f"pad_collate: pad_to_multiple_of is {pad_to_multiple_of}, less than 1")
+    if isinstance(batch, list):
+        batch.sort(key=length_of, reverse=True)
     return collate(list(batch), padding_value, pad_to_multiple_of, batch_first)
+
+
+def length_of(sample) -> int:
+    while isinstance(sample, (tuple, list)) and len(sample):
+        sample = sample[0]
+    return len(sample) if isinstance(sample, Tensor) and sample.ndim else 0
