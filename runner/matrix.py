"""Reads runner/matrix.toml: which rows a workload has on a device in a profile. Standard library only."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One line of a table: a notebook with its parameters, in one precision track on one device."""

    id: str  # "pytorch-eager-bf16"
    workload: str
    framework: str
    title: str
    precision: str
    device: str
    profile: str
    environment: str
    notebook: Path
    data: str
    reference: str  # what its proof is held against, in common/references/
    parameters: dict  # what papermill injects, less RECORD_PATH, SEED and THREADS
    partial: bool  # trains on a part of the data: images per second only
    modules: tuple  # what must be importable
    check: str  # a snippet that fails, with the remedy, where the system lacks something
    gpu_check: str
    no_gpu: str  # why it cannot run on today's GPUs
    default: bool  # its fp32 outputs are those shown in notebooks/
    era: int | None  # the year whose tables listed it, for the frameworks of then


class Matrix:
    """The parsed matrix of a repository: dicts workloads, frameworks, environments, precisions, profiles."""

    def __init__(self, root: Path):
        self.root = Path(root)
        tables = tomllib.loads((self.root / "runner" / "matrix.toml").read_text(encoding="utf-8"))
        self.workloads = tables["workloads"]
        self.frameworks = tables["frameworks"]
        self.environments = tables["environments"]
        self.precisions = tables["precisions"]
        self.profiles = tables["profiles"]

    def rows(self, profile: str, device: str, cpu_flags=None) -> list[Row]:
        """All rows of `profile` on `device` ("cpu" or "gpu") that have a notebook, workload by workload.

        cpu_flags: the CPU's feature flags, to tell whether a reduced precision is native; None: it is.
        """
        found = []
        for workload in self.workloads:
            for precision in self.precisions:
                for framework, entry in self.frameworks.items():
                    for variant in entry["rows"]:
                        options = {**entry, **variant}
                        if (
                            device in options.get("devices", ["cpu", "gpu"])
                            and device in self.precisions[precision]["devices"]
                            and precision in options.get("precisions", self.precisions)
                        ):
                            found.append(self._row(workload, precision, framework, options, profile, device, cpu_flags))
        return [row for row in found if row.notebook.exists()]

    def _row(self, workload, precision, framework, options, profile, device, cpu_flags) -> Row:
        work = self.workloads[workload]
        native = self.precisions[precision].get("native")
        emulated = device == "cpu" and native and cpu_flags is not None and not set(native) & set(cpu_flags)
        reduced = work.get("partial", {}).get(profile)
        partial = bool(reduced) and (emulated or profile in options.get("partial", []))
        parameters = {
            **work["profiles"][profile],
            "BATCH_SIZE": work["batch_size"],
            "DEVICE": device,
            "PRECISION": precision,
            **options.get("parameters", {}),
            **(options.get("gpu", {}) if device == "gpu" else {}),
            **(reduced if partial else {}),
        }
        environment = options["environment"]
        parts = [framework, options["name"], "" if precision == "fp32" else precision]
        return Row(
            id="-".join(part for part in parts if part),
            workload=workload,
            framework=framework,
            title=options.get("title", framework),
            precision=precision,
            device=device,
            profile=profile,
            environment=environment if isinstance(environment, str) else environment[device],
            notebook=self.root / "notebooks" / workload / f"{framework}.ipynb",
            data=work["data"],
            reference=options.get("reference", {}).get(workload, workload),
            parameters=parameters,
            partial=partial,
            modules=tuple(options.get("modules", [options["package"]])),
            check=options.get("check", ""),
            gpu_check=options.get("gpu_check", ""),
            no_gpu=options.get("no_gpu", ""),
            default=options.get("default", False) and precision == "fp32",
            era=options.get("era"),
        )

    def every_row(self) -> list[Row]:
        """The rows of every profile and device."""
        return [row for profile in self.profiles for device in ("cpu", "gpu") for row in self.rows(profile, device)]

    def row_names(self) -> list[str]:
        """Every row id of any profile, device and workload, in the matrix's order."""
        return list(dict.fromkeys(row.id for row in self.every_row()))
