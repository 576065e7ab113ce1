"""Proof of the question bank: run the cells of topics, their claims, and the changes of them."""
