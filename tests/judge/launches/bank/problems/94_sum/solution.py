"""Add up the numbers of all ranks; rank 0 writes the sum."""

import os
import sys

import torch
import torch.distributed as dist


def main():
    folder, *numbers = [word for word in sys.argv[1:] if not word.startswith("--")]
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "0")
    number = int(numbers[int(os.environ["RANK"])])
    dist.init_process_group("gloo")
    total = torch.tensor(number)
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/sum.txt", "w") as file:
            file.write(str(int(total)))
    dist.barrier()
    dist.destroy_process_group()


main()
