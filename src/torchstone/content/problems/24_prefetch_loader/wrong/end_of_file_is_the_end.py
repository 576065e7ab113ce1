# over: solution.py
# verdict: WA property
# group: error
# en: An EOFError of the loader was taken for its end; what is missing stays unknown.
# zh: 把加载器的 EOFError 当成了结尾；缺了什么无人知道。
@@
-            except StopIteration:
+            except (StopIteration, EOFError):
                 is_over = True
