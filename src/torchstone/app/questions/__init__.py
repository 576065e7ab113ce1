"""Questions of the bank: asking, answering, marking, scheduling, and proofs of answers."""
