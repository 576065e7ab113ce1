# over: solution.py
# verdict: WA property
# group: error
# en: Good batches already prefetched come first.
# zh: 已经预取好的批次应先交出。
@@
-            except Exception as raised:  # noqa: BLE001
-                # The batches before it come first.
-                error, is_over = raised, True
