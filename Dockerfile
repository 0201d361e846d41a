# syntax=docker/dockerfile:1
# The batch on one machine with Docker, for its GPU with NVIDIA's container toolkit: docs/running.md has the commands.
# The environments bring CUDA's libraries themselves; the base has what the driver hooks into, and Python 3.12.
FROM nvidia/cuda:13.0.1-base-ubuntu24.04
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates g++ git libgomp1 python3 python3-dev python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory /rosetta
WORKDIR /rosetta
COPY . .
ENV ROSETTA_DATA=/data
ENTRYPOINT ["./run_all.sh"]
CMD ["--profile", "gpu"]
