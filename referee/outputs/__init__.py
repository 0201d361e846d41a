"""The referee of lessons that only compute outputs of a trained network: features of images, forward alone."""
