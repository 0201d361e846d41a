"""What the plants of every notebook of resnet50_features share: plain Python 3.6."""

# What the proof must say where only what follows the last stage is wrong.
AFTER = r"features: sample \d+ is off by .*no stage diverges, only what follows"


def first(stage, part="features"):
    """What the proof says where ``stage`` is the first that diverges."""
    return r"{}: sample \d+ is off by .*the first stage that diverges: {}, off by".format(part, stage)
