"""Per-sample logs of lm-evaluation-harness: ``samples_<task>_<date>.jsonl``."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bayesrank._text import quoted
from bayesrank.exceptions import InputError
from bayesrank.readers._harness_rows import Row, load_json, pick
from bayesrank.readers._paths import LM_EVAL_NAME, display

_KEYS = frozenset({"doc_id", "filter", "metrics"})


def read_lm_eval(path: Path, wanted: str | None) -> list[Row]:
    """Return the trials of one file; `wanted` is a metric, or ``metric,filter``.

    The file says neither the model nor the time: the ``results_<date>.json`` beside it names the
    model (else its folder does), and runs of one task are told apart by their dates.
    """
    name = display(path)
    parts = LM_EVAL_NAME.fullmatch(path.name)
    task, date = (parts["task"], parts["date"]) if parts else (path.stem, None)
    system = _model(path, date)
    samples = list(_samples(path, name))
    outcomes = {
        f"{metric},{sample['filter']}" for _, sample in samples for metric in _metrics(sample)
    }
    metric, _, filtered = _chosen(sorted(outcomes), wanted, name).rpartition(",")
    return [
        Row(
            system=system,
            task=task,
            question=str(sample["doc_id"]),
            trial=date or "1",
            score=_score(sample.get(metric), metric, where),
            where=where,
        )
        for where, sample in samples
        if sample["filter"] == filtered
    ]


def _samples(path: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            where = f"{name}, line {number}"
            sample = load_json(line, where=where)
            if not isinstance(sample, dict) or not sample.keys() >= _KEYS:
                msg = f"{where}: no sample; it needs {', '.join(sorted(_KEYS))}."
                raise InputError(msg)
            # Documents and answers are long and not needed.
            yield where, {key: sample.get(key) for key in (*_KEYS, *_metrics(sample))}


def _metrics(sample: dict[str, Any]) -> list[str]:
    metrics = sample["metrics"]
    return [str(metric) for metric in metrics] if isinstance(metrics, list) else []


def _chosen(outcomes: list[str], wanted: str | None, name: str) -> str:
    """Return a metric with its filter; a metric alone is enough where it has one filter."""
    of_metric = [o for o in outcomes if o.rpartition(",")[0] == wanted]
    if len(of_metric) == 1:
        return of_metric[0]
    return pick(of_metric or outcomes, None if of_metric else wanted, what="metric", where=name)


def _score(value: object, metric: str, where: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool | int | float):
        return float(value)
    msg = f"{where}: the metric {quoted(metric)} holds no number; name another one."
    raise InputError(msg)


def _model(path: Path, date: str | None) -> str:
    folder = path.resolve().parent
    results = folder / f"results_{date}.json"
    if date is None or not results.is_file():
        return folder.name
    found = load_json(results.read_bytes(), where=display(results))
    name = found.get("model_name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else folder.name
