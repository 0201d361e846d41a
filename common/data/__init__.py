"""Data sets as NumPy arrays, a module for each to import.

A module has ``load(source, train_samples, test_samples)``, which returns a ``files.Dataset``:
``source`` "sample" takes the small real sample in this folder, "full" the publisher's whole set from
the data directory; a set that nobody trains on needs no counts. ``fetch()`` brings the whole set there
ahead of time. Both raise ``files.DataError`` with a remedy, ``load`` ValueError for another source
(imagenet_samples does not look at that). resnet50 holds weights instead, by name; chestxray gives
PNG files instead of arrays, by path, and has a third source, "small".
"""
