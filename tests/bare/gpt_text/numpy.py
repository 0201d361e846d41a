"""NumPy has no guide to stand against: its step is held against PyTorch's."""
