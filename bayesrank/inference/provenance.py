"""Where a posterior came from: enough to make it again."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment

_PACKAGES = ("bayesrank", "pymc", "pytensor", "nutpie", "arviz", "xarray", "numpy", "scipy")


def provenance(
    seeds: Seeds, config: Mapping[str, Any], attachment: Attachment | None
) -> dict[str, Any]:
    """Return versions, seed, settings, data and time as plain values; nothing of the machine."""
    found: dict[str, Any] = {
        "versions": _versions(),
        "seed": seeds.entropy,
        "config": {name: _plain(value) for name, value in config.items()},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    if seeds.spawn_key:
        found["spawn_key"] = list(seeds.spawn_key)
    if attachment is not None:
        found["model"] = {"family": attachment.family, **attachment.settings}
        found["data"] = {
            "hash": attachment.data.data_hash(),
            "source": attachment.data.source,
            "rows": attachment.data.describe().get("rows"),
            "missing": int(attachment.missing.sum()),
        }
    return found


def _versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            found[package] = "unknown"
    return found


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return repr(value)
