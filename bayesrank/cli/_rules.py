"""From logs of trials or battles to the posterior of a ranking rule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._text import quoted
from bayesrank._validate import did_you_mean, validate_choice
from bayesrank.cli._battles import are_battles
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    from bayesrank.data import Comparisons, Responses
    from bayesrank.rules import Rule

# What rules take; every other option is about models.
_OPTIONS = (
    *("--rule", "--population", "--prior", "--counts", "--weights", "--categories", "--column"),
    *("--missing", "--draws", "--seed", "--save"),
)
_CHAINS = 4
_DRAWS = 1000


def parse_rule(
    text: str, *, weights: Sequence[float] | None = None, option: str = "--rule"
) -> "Rule":
    """Return a rule from ``schulze`` or ``minimax:ties=ignore,variant=winning_votes``."""
    from bayesrank import rules

    name, _, rest = text.partition(":")
    options: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        name_of, equals, value = part.partition("=")
        if not (name_of and equals and value):
            msg = (
                f"{option} {quoted(text)}: write NAME:OPTION=VALUE, for example schulze:ties=half."
            )
            raise ArgumentError(msg)
        options[name_of] = _value(value)
    if weights is not None:
        options["weights"] = tuple(weights)
    return rules.get(name, **options)


def parse_rules(
    text: str, *, option: str = "--rules", also: Sequence[str] = ()
) -> "str | list[str | Rule]":
    """Return ``fast`` or ``all``, or rules from ``borda,minimax:ties=ignore,schulze``.

    Names in `also` are no rules, and stay as they are.
    """
    groups = ("fast", "all")
    if text in groups:
        return text
    parts = split_names(text, option=option, hint="use fast, all or NAME,NAME,...")
    if len(parts) == 1 and (near := did_you_mean(text, groups)):
        from bayesrank import rules

        if text.partition(":")[0] not in (*rules.names(), *also):
            msg = f"{option} {quoted(text)} is neither a rule nor fast nor all.{near}"
            raise ArgumentError(msg)
    return [part if part in also else parse_rule(part, option=option) for part in parts]


def split_names(text: str, *, option: str, hint: str) -> list[str]:
    """Return names with their options from ``borda,minimax:ties=ignore,variant=margin``."""
    parts: list[str] = []
    for part in text.split(","):
        # No name holds "=": such a part is one more option of the name before it.
        if parts and "=" in part and ":" not in part:
            parts[-1] += f",{part.strip()}"
        else:
            parts.append(part.strip())
    if not all(parts):
        msg = f"{option} {quoted(text)} holds an empty name; {hint} ."
        raise ArgumentError(msg)
    return parts


def _value(text: str) -> str | int | float | None:
    if text == "none":
        return None
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def read_for_rules(
    files: Sequence[Path],
    *,
    population: str | None,
    categories: int | None,
    reading: Mapping[str, Any],
    steps: Steps | None = None,
) -> "Responses | Comparisons":
    """Read logs of trials, or of battles with what the population resamples."""
    from bayesrank.rules._draws import CLUSTERS

    steps = Steps() if steps is None else steps
    if not are_battles(files, model=None):
        return steps.call(
            "responses", "read_responses", list(files), categories=categories, **reading
        )
    kept = CLUSTERS.get(population or "")
    return steps.call(
        "comparisons",
        "read_comparisons",
        list(files),
        columns=reading["columns"],
        keep=[] if kept is None else [kept],
    )


def prior_of_models(prior: str | None) -> Literal["uniform", "pooled"] | None:
    """Return a prior that models take, and refuse the one that only rules take."""
    if prior in ("jeffreys", "crossed"):
        msg = f"--prior {prior} goes with --rule; models take uniform or pooled."
        raise ArgumentError(msg)
    return prior  # pyright: ignore[reportReturnType]


def fit_rule(
    files: Sequence[Path],
    *,
    steps: Steps,
    rule: str,
    options: Sequence[str],
    reading: Mapping[str, Any],
    categories: int | None,
    weights: Sequence[float] | None,
    prior: str | None,
    counts: Literal["expected", "predictive"] | None,
    draws: int | None,
    sampling: Mapping[str, Any],
) -> Fitted:
    """Read logs and return the posterior of a rule on them, checked."""
    refused = [option for option in options if option not in _OPTIONS]
    if "--weights" in options and weights is None:
        refused.append("--weights by name")
    if refused:
        msg = f"{', '.join(refused)} cannot be used with --rule; it takes {', '.join(_OPTIONS)}."
        raise ArgumentError(msg)
    chosen = parse_rule(rule, weights=weights)
    population = sampling["population"]
    if isinstance(population, tuple):
        msg = "--rule takes one --population, not two at once."
        raise ArgumentError(msg)
    if prior is not None:
        from bayesrank.rules._cell_draws import PRIORS

        validate_choice(prior, PRIORS, name="--prior")
    from bayesrank._record import read_record, write_record
    from bayesrank.checks import diagnose

    data = read_for_rules(
        files, population=population, categories=categories, reading=reading, steps=steps
    )
    options_of = "".join(f", {key}={value!r}" for key, value in chosen.options.items())
    steps.let("rule", chosen, f"bayesrank.rules.get({chosen.name!r}{options_of})")
    posterior = steps.call(
        "posterior",
        "rules.posterior",
        chosen,
        data,
        population=population,
        prior=prior,  # pyright: ignore[reportArgumentType]
        counts=counts,
        draws=_DRAWS if draws is None else _CHAINS * draws,
        random_seed=sampling["random_seed"],
    )
    record = read_record(posterior)
    found = diagnose(posterior, source=record.method)
    write_record(posterior, replace(record, diagnostics=found.to_dict()))
    return steps.fitted(posterior)
