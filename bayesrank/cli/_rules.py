"""From logs of trials or battles to the posterior of a ranking rule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesrank._text import quoted
from bayesrank._validate import validate_choice
from bayesrank.cli._battles import are_battles
from bayesrank.exceptions import ArgumentError

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.rules import Rule

# What rules take; every other option is about models.
_OPTIONS = (
    *("--rule", "--population", "--prior", "--weights", "--categories", "--column", "--missing"),
    *("--draws", "--seed", "--save"),
)
_CHAINS = 4
_DRAWS = 1000


def parse_rule(text: str, *, weights: Sequence[float] | None = None) -> "Rule":
    """Return a rule from ``schulze`` or ``minimax:ties=ignore,variant=winning_votes``."""
    from bayesrank import rules

    name, _, rest = text.partition(":")
    options: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        option, equals, value = part.partition("=")
        if not (option and equals and value):
            msg = f"--rule {quoted(text)}: write NAME:OPTION=VALUE, for example schulze:ties=half."
            raise ArgumentError(msg)
        options[option] = _value(value)
    if weights is not None:
        options["weights"] = tuple(weights)
    return rules.get(name, **options)


def _value(text: str) -> str | int | float | None:
    if text == "none":
        return None
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def fit_rule(
    files: Sequence[Path],
    *,
    rule: str,
    options: Sequence[str],
    reading: Mapping[str, Any],
    categories: int | None,
    weights: Sequence[float] | None,
    prior: str | None,
    draws: int | None,
    sampling: Mapping[str, Any],
) -> "xr.DataTree":
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
        validate_choice(prior, ("pooled", "uniform"), name="--prior")
    import bayesrank
    from bayesrank import rules
    from bayesrank._record import read_record, write_record
    from bayesrank.checks import diagnose
    from bayesrank.rules._draws import CLUSTERS

    data: Any
    if are_battles(files, model=None):
        kept = CLUSTERS.get(population or "")
        data = bayesrank.read_comparisons(
            files, columns=reading["columns"], keep=[] if kept is None else [kept]
        )
    else:
        data = bayesrank.read_responses(files, categories=categories, **reading)
    posterior = rules.posterior(
        chosen,
        data,
        population=population,
        prior=prior,  # pyright: ignore[reportArgumentType]
        draws=_DRAWS if draws is None else _CHAINS * draws,
        random_seed=sampling["random_seed"],
    )
    record = read_record(posterior)
    found = diagnose(posterior, source=record.method)
    write_record(posterior, replace(record, diagnostics=found.to_dict()))
    return posterior
