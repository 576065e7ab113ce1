# outcome: RTE
# tries: keep data in memory that belongs to no process
import os

os.memfd_create("kept")
