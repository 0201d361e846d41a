"""The referee of lessons that read image files: their loader, augmentation and devices are proven, too."""
