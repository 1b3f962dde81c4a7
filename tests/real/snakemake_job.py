"""A workflow of Snakemake, and what Snakemake tells of it: ``python -m tests.real.snakemake_job FOLDER``.

Needs ``pip install snakemake``. Writes the log, a benchmark and the metadata of an output, each with the
version of Snakemake in its name.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.ray_job import write

RULES = """
rule all:
    input: expand("out/{number}.txt", number=range(4))

rule nap:
    output: "out/{number}.txt"
    benchmark: "benchmark/{number}.tsv"
    shell: "sleep 0.{wildcards.number} && touch {output}"
"""


def main() -> None:
    """Run the workflow, and write what is told of it."""
    out, program = Path(sys.argv[1]), str(Path(sys.executable).parent / "snakemake")
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    version = told.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Snakefile").write_text(RULES)
        subprocess.run([program, "--cores", "2"], cwd=folder, capture_output=True, check=True)
        patterns = {
            "log": ".snakemake/log/*",
            "benchmark": "benchmark/1.tsv",
            "metadata": ".snakemake/metadata/*",
        }
        for name, pattern in patterns.items():
            write(out / f"snakemake_{version}_{name}.gz", next(Path(folder).glob(pattern)).read_bytes())


if __name__ == "__main__":
    main()
