"""From completions with signals, or outcomes in words, to a posterior."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._text import quoted
from bayesrank.cli._fitting import refuse_options
from bayesrank.cli._options import parse_weights
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.data import Responses
    from bayesrank.schemes import Scheme

# The role of the column that says why a trial failed, beside those that every log has.
FAILURE = "failure"
_MODELS = ("bayes-at-n", "categorical")


def parse_named_weights(text: str | None) -> dict[str, float] | None:
    """Return the weight of each category by name from ``solved=1,timeout=0.2``; else None."""
    if text is None or "=" not in text:
        return None
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.rpartition("="))
        if not (name and equals):
            msg = f"--weights {quoted(part)}: write NAME=WEIGHT for each category, or only numbers."
            raise ArgumentError(msg)
        if name in weights:
            msg = f"--weights: category {quoted(name)} is given twice."
            raise ArgumentError(msg)
        try:
            weights[name] = float(number)
        except ValueError:
            weights[name] = math.nan
        if not math.isfinite(weights[name]):
            msg = f"--weights: {quoted(part)} gives no finite number to {quoted(name)}."
            raise ArgumentError(msg)
    return weights


@dataclass(frozen=True)
class Coding:
    """How a log becomes categories: by a scheme, or by the words in it.

    Attributes
    ----------
    scheme : Scheme or None
        The scheme, with its own weights or those given.
    thresholds : {"model", "pooled"} or None
        Whose percentiles, where not as the scheme says.
    thresholds_from : Path or None
        The full sample.
    words : dict of str to float
        Weights by word, without a scheme.
    source : str
        The expression that makes the scheme.
    """

    scheme: "Scheme | None" = None
    thresholds: Literal["model", "pooled"] | None = None
    thresholds_from: Path | None = None
    words: Mapping[str, float] | None = None
    source: str = ""

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each category."""
        return tuple((self.words or {}).values()) if self.scheme is None else self.scheme.weights

    def read(
        self,
        files: Sequence[Path],
        *,
        auxiliary: Path | None,
        reading: Mapping[str, Any],
        steps: Steps,
    ) -> "Responses":
        """Read logs, or auxiliary outcomes under the thresholds of these logs."""
        columns = reading["columns"]
        name = "responses" if auxiliary is None else "auxiliary"
        data = list(files) if auxiliary is None else auxiliary
        if self.scheme is None:
            return steps.call(
                name,
                "schemes.read_named_outcomes",
                data,
                categories=list(self.words or ()),
                columns=columns,
            )
        if auxiliary is None:
            steps.let("scheme", self.scheme, self.source)
        full: Any = self.thresholds_from or (None if auxiliary is None else list(files))
        return steps.call(
            name,
            "schemes.apply",
            self.scheme,
            data,
            thresholds=self.thresholds,
            thresholds_from=full,
            **reading,
        )

    def notes(self, columns: Mapping[str, str | None]) -> tuple[str, ...]:
        """Return what the table has to say of the categories."""
        if self.scheme is not None:
            per = self.thresholds
            return (self.scheme if per is None else self.scheme.with_thresholds(per)).notes()
        from bayesrank.schemes.parts import weights_told

        told = weights_told(list(self.words or ()), self.weights)
        sentences = [f"Categories and weights: {told}."]
        if failure := columns.get(FAILURE):
            sentences.append(
                f"A trial with outcome 1 is solved; what any other is says column "
                f"{quoted(failure)}, and a trial without an outcome is missing only where that "
                f"column is empty too."
            )
        return tuple(sentences)

    def provenance(self) -> dict[str, Any]:
        """Return what is needed to code the log again."""
        if self.scheme is None:
            return {"category_weights": dict(self.words or {})}
        per = {} if self.thresholds is None else {"scheme_thresholds": self.thresholds}
        return {"scheme": self.scheme.to_toml(), **per}


def coding_of(
    *,
    scheme: str | None,
    thresholds: Literal["model", "pooled"] | None,
    thresholds_from: Path | None,
    weights: str | None,
    columns: Mapping[str, str | None],
    refused: Mapping[str, object],
) -> Coding | None:
    """Return how the options say that categories are made, None where the log holds numbers."""
    words = parse_named_weights(weights)
    for option, value in {
        "--thresholds": thresholds,
        "--thresholds-from": thresholds_from,
    }.items():
        if value is not None and scheme is None:
            msg = f"{option} is about the percentiles of a scheme; name one with --scheme."
            raise ArgumentError(msg)
    if FAILURE in columns and words is None:
        msg = (
            f"--column {FAILURE}={columns[FAILURE]} needs the weight of every category by name: "
            f"--weights solved=1,timeout=0.2,other=0."
        )
        raise ArgumentError(msg)
    if scheme is None and words is None:
        return None
    kind = "--scheme" if scheme is not None else "--weights by name"
    for option, value in refused.items():
        if value is not None:
            msg = f"{option} cannot be used with {kind}; leave one of them out."
            raise ArgumentError(msg)
    if scheme is None:
        return Coding(words=words)
    from bayesrank.schemes import load

    found, source = load(scheme), f"bayesrank.schemes.load({scheme!r})"
    if words is not None:
        missing = [name for name in found.category_names if name not in words]
        unknown = [name for name in words if name not in found.category_names]
        if missing or unknown:
            told = ", ".join(quoted(name) for name in found.category_names)
            msg = f"--weights names other categories than scheme {quoted(found.name)}: {told}."
            raise ArgumentError(msg)
        numbers: list[float] | None = [words[name] for name in found.category_names]
    else:
        numbers = parse_weights(weights)
    if numbers is not None:
        found, source = found.with_weights(numbers), f"{source}.with_weights({numbers!r})"
    return Coding(found, thresholds, thresholds_from, source=source)


def fit_coded(
    files: Sequence[Path],
    coding: Coding,
    *,
    steps: Steps,
    reading: Mapping[str, Any],
    prior: Literal["uniform", "pooled"] | None,
    prior_from: Path | None,
    prior_weight: float | Literal["learned", "moments"] | None,
    weighting: Literal["question", "task"],
    model: str | None,
    sampling: Mapping[str, Any],
) -> Fitted:
    """Read logs into categories and return the posterior of the mean weight."""
    model = model or _MODELS[0]
    if model not in _MODELS:
        msg = f"--model {model} does not take categories; use --model {' or '.join(_MODELS)}."
        raise ArgumentError(msg)
    refuse_options(model, {"--prior": prior, "--prior-from": prior_from})
    if prior_from is None and prior_weight is not None:
        msg = "--prior-weight is the weight of --prior-from; name that file too."
        raise ArgumentError(msg)
    if prior_from is not None and prior is not None:
        msg = "--prior and --prior-from are two priors; give one."
        raise ArgumentError(msg)
    if coding.scheme is None and reading["missing"] == "failure":
        msg = "--missing failure: with named categories no one of them is failure; leave it out."
        raise ArgumentError(msg)
    from bayesrank._record import read_record, write_record

    responses = coding.read(files, auxiliary=None, reading=reading, steps=steps)
    path, options = "models.categorical", {}
    if model != "categorical":
        chosen: Any = prior
        if prior_from is not None:
            auxiliary = coding.read(files, auxiliary=prior_from, reading=reading, steps=steps)
            weight = 1.0 if prior_weight is None else prior_weight
            chosen = steps.call("prior", "EmpiricalPrior", auxiliary, weight=weight)
        path, options = "models.bayes_at_n", {"prior": chosen}
    built = steps.call(
        "model", path, responses, weights=coding.weights, weighting=weighting, **options
    )
    fitted = steps.sample(built, sampling)
    record = read_record(fitted.posterior)
    notes = (*coding.notes(reading["columns"]), *record.notes)
    provenance = {**record.provenance, **coding.provenance()}
    write_record(fitted.posterior, replace(record, notes=notes, provenance=provenance))
    return fitted
