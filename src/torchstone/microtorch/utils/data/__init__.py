"""Data sets, samplers and DataLoader, under the names of ``torch.utils.data``."""

from torchstone.microtorch.utils.data.collate import default_collate as default_collate
from torchstone.microtorch.utils.data.collate import default_convert as default_convert
from torchstone.microtorch.utils.data.dataloader import DataLoader as DataLoader
from torchstone.microtorch.utils.data.dataset import ChainDataset as ChainDataset
from torchstone.microtorch.utils.data.dataset import ConcatDataset as ConcatDataset
from torchstone.microtorch.utils.data.dataset import Dataset as Dataset
from torchstone.microtorch.utils.data.dataset import IterableDataset as IterableDataset
from torchstone.microtorch.utils.data.dataset import StackDataset as StackDataset
from torchstone.microtorch.utils.data.dataset import Subset as Subset
from torchstone.microtorch.utils.data.dataset import TensorDataset as TensorDataset
from torchstone.microtorch.utils.data.dataset import random_split as random_split
from torchstone.microtorch.utils.data.distributed import DistributedSampler as DistributedSampler
from torchstone.microtorch.utils.data.sampler import BatchSampler as BatchSampler
from torchstone.microtorch.utils.data.sampler import RandomSampler as RandomSampler
from torchstone.microtorch.utils.data.sampler import Sampler as Sampler
from torchstone.microtorch.utils.data.sampler import SequentialSampler as SequentialSampler
from torchstone.microtorch.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from torchstone.microtorch.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler
from torchstone.microtorch.utils.data.worker import get_worker_info as get_worker_info
