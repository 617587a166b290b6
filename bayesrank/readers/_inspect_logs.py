"""Logs of Inspect: ``.eval`` archives, and the same as JSON."""

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bayesrank._text import listed, quoted, visible
from bayesrank.exceptions import InputError
from bayesrank.readers._harness_rows import Row, load_json, pick
from bayesrank.readers._paths import display

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def read_inspect(path: Path, wanted: str | None) -> list[Row]:
    """Return the trials of one log; epochs are trials, and a sample that failed has no outcome."""
    name = display(path)
    header, samples = _archive(path, name) if path.suffix.lower() == ".eval" else _json(path, name)
    about = header.get("eval")
    if not isinstance(about, dict) or not isinstance(about.get("model"), str):
        msg = f"{name}: the log names no model; is it a log of Inspect?"
        raise InputError(msg)
    if header.get("invalidated"):
        msg = f"{name}: the log is marked as invalidated; leave it out."
        raise InputError(msg)
    graded = [s for s in samples if isinstance(s.get("scores"), dict)]
    scorer = pick((str(k) for s in graded for k in s["scores"]), wanted, what="scorer", where=name)
    run = str(about.get("run_id") or about.get("created") or name)
    return [
        Row(
            system=about["model"],
            task=str(about.get("task") or path.stem),
            question=str(sample.get("id")),
            # Epochs of two runs are different trials.
            trial=f"{run} {sample.get('epoch', 1)}",
            score=_score(sample, scorer, name),
            where=name,
        )
        for sample in samples
    ]


def _archive(path: Path, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            header = load_json(archive.read("header.json"), where=f"{name}, header.json")
            found = load_json(archive.read("summaries.json"), where=f"{name}, summaries.json")
    except (zipfile.BadZipFile, KeyError, NotImplementedError, OSError) as error:
        reason = visible(" ".join(str(error).split()))[:100].rstrip(".")
        msg = (
            f"{name} is no finished log of Inspect that can be unpacked here: {reason}. Turn it "
            "into JSON with `inspect log convert --to json`."
        )
        raise InputError(msg) from error
    return _checked(header, found, name)


def _json(path: Path, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header = load_json(path.read_bytes(), where=name)
    found = header.get("samples") if isinstance(header, dict) else None
    return _checked(header, found or [], name)


def _checked(
    header: object, samples: object, name: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if (
        not isinstance(header, dict)
        or not isinstance(samples, list)
        or not all(isinstance(sample, dict) for sample in samples)
    ):
        msg = f"{name} is no log of Inspect: it needs a header and a list of samples."
        raise InputError(msg)
    return header, samples


def _score(sample: Mapping[str, Any], scorer: str, name: str) -> float:
    """Return the score of a sample; NaN where it failed or was not scored."""
    scores = sample.get("scores")
    if sample.get("error") or not isinstance(scores, dict) or scorer not in scores:
        return math.nan
    value = scores[scorer].get("value") if isinstance(scores[scorer], dict) else scores[scorer]
    if isinstance(value, str) and value in _GRADES:
        return _GRADES[value]
    if isinstance(value, bool | int | float):
        return float(value)
    parts = f" with the parts {listed(list(value))}" if isinstance(value, dict) else ""
    msg = (
        f"{name}: sample {quoted(str(sample.get('id')))} has no single score by "
        f"{quoted(scorer)}{parts}; a grade C, P, I, N or a number was expected."
    )
    raise InputError(msg)
