"""The referee of lessons that train a network on text, byte by byte, and let it write."""
