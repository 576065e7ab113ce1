"""Symptoms: statements about an error, each tested on all wrong results before it is said."""

from torchstone.judge.reference.symptoms.search import find_symptoms

__all__ = ["find_symptoms"]
