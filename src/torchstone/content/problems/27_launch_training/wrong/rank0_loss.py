# over: solution.py
# verdict: WA value
# group: sample
# en: Rank 0's loss is one shard's loss: reduce sum and count.
# zh: rank 0 的损失只是一个分片的；要归约总和与个数。
@@
-        dist.all_reduce(total)
         metrics.append({"epoch": epoch, "loss": (total[0] / total[1]).item()})
