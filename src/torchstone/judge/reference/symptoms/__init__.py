"""Symptoms: statements about an error, each tested on all wrong results."""

from torchstone.judge.reference.symptoms.search import find_symptoms

__all__ = ["find_symptoms"]
