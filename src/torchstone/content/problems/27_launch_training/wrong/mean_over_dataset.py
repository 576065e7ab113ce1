# over: solution.py
# verdict: WA value
# group: uneven
# en: The padded duplicates count: divide by the samples that all ranks have seen, not by the size of the dataset.
# zh: 补齐的重复样本也计入：应除以所有 rank 见过的样本数，而不是数据集的大小。
@@
-        metrics.append({"epoch": epoch, "loss": (total[0] / total[1]).item()})
+        metrics.append({"epoch": epoch, "loss": (total[0] / len(dataset)).item()})
