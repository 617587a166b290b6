"""Compare what the wheel and the sdist hold with what git tracks: nothing missing or extra."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


def tracked(prefix: str) -> set[str]:
    """Return the files git tracks below a folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", prefix], capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if name}


def main(folder: Path) -> None:
    """Check the archives in a folder; exit with what is missing or extra."""
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {n for n in archive.namelist() if n.startswith("bayesrank/")}
    with tarfile.open(sdist) as archive:
        in_sdist = {n.partition("/")[2] for n in archive.getnames()}
    package = tracked("bayesrank")
    problems = {
        "missing from the wheel": package - in_wheel,
        "only in the wheel": in_wheel - package,
        "missing from the sdist": (package | tracked("models")) - in_sdist,
    }
    for what, names in problems.items():
        if names:
            sys.exit(f"{what}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
