"""The bank that ships, loaded once in each test process."""

from functools import cache

from torchstone.bank.loader import load_bank

shipped_bank = cache(load_bank)
