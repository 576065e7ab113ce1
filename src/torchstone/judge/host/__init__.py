"""Host process of a data folder, and its clients."""
