# over: solution.py
# verdict: WA property
# group: sample
# en: Nothing but the two files stays in the folder.
# zh: 目录中只留下这两个文件，别无他物。
@@
         metrics.append({"epoch": epoch, "loss": (total[0] / total[1]).item()})
+        if dist.get_rank() == 0:
+            args.out.mkdir(parents=True, exist_ok=True)
+            torch.save(model.state_dict(), args.out / f"epoch_{epoch}.pt")
