# over: solution.py
# verdict: WA property
# group: error
# en: An EOFError of the dataset was taken for the end of the pipe: the worker left, and its message is lost.
# zh: 把数据集的 EOFError 当成管道的结尾：worker 退出，消息也丢了。
@@
                 data = pickle.dumps(answer)
+            except EOFError:
+                return
             except Exception as error:  # noqa: BLE001
