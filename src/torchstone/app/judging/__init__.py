"""Judge programs: submit, follow, compare, receipts."""
