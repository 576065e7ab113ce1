"""The page: what a browser shows and asks for; a skin of ``torchstone.app``, as the command is."""
