"""From files to a posterior, as the command line asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bayesrank._files import write_atomically
from bayesrank._text import quoted
from bayesrank.cli._steps import Fitted, Steps
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    import xarray as xr

# Options of bayes-at-n that the others of its kind do not take.
_NOT_TAKEN = {
    "hierarchical": ("--prior", "--prior-from", "--weights"),
    "categorical": ("--prior", "--prior-from"),
}


def refuse_options(model: str, given: Mapping[str, object]) -> None:
    """Refuse options that only bayes-at-n takes."""
    taken_not = _NOT_TAKEN.get(model, ())
    refused = [name for name, value in given.items() if name in taken_not and value is not None]
    if refused:
        msg = f"--model {model} does not take {', '.join(refused)}; use --model bayes-at-n."
        raise ArgumentError(msg)


def is_saved_posterior(files: Sequence[Path], *, needs_data: Sequence[str]) -> bool:
    """Tell a saved posterior from logs, and refuse options that it has no data for."""
    from bayesrank.readers.posterior import detect

    saved = [file for file in files if detect(file) == "posterior"]
    if not saved:
        return False
    name = quoted(str(saved[0]))
    if len(files) > 1:
        msg = f"{name} is a saved posterior and is ranked alone; name no other file."
        raise ArgumentError(msg)
    if needs_data:
        msg = (
            f"{name} is a saved posterior, so {', '.join(needs_data)} cannot be used; rank the log."
        )
        raise ArgumentError(msg)
    return True


def open_posterior(file: Path) -> "xr.DataTree":
    """Read a posterior back; one that nobody has checked is checked now."""
    from bayesrank._record import read_record, write_record
    from bayesrank.readers import read_posterior

    posterior = read_posterior(file)
    record = read_record(posterior)
    if record.verdict == "not run":
        from bayesrank.checks import diagnose

        write_record(posterior, replace(record, diagnostics=diagnose(posterior).to_dict()))
    return posterior


def parts_of(posterior: "xr.DataTree") -> list[str]:
    """Return the names of the parts that a posterior ranks apart, if it has any."""
    found = posterior["posterior"]
    return [str(name) for name in found["part"].to_numpy()] if "part_score" in found else []


def save_posterior(posterior: "xr.DataTree", path: Path, *, overwrite: bool) -> None:
    """Write a posterior to a netCDF file, whole or not at all."""

    def write(temporary: Path) -> None:
        posterior.to_netcdf(temporary, engine="h5netcdf")

    try:
        write_atomically(path, write, overwrite=overwrite)
    except ValueError as error:
        msg = f"{quoted(str(path))}: netCDF cannot hold this posterior: {error}"
        raise InputError(msg) from error


def fit_log(
    files: Sequence[Path],
    *,
    steps: Steps,
    reading: Mapping[str, Any],
    categories: int | None,
    prior: Literal["uniform", "pooled"] | None,
    prior_from: Path | None,
    prior_weight: float | Literal["learned", "moments"] | None,
    weights: Sequence[float] | None,
    weighting: Literal["question", "task"],
    model: str,
    sampling: Mapping[str, Any],
) -> Fitted:
    """Read logs and return the posterior of a model of them."""
    if prior_from is None and prior_weight is not None:
        msg = "--prior-weight is the weight of --prior-from; name that file too."
        raise ArgumentError(msg)
    if prior_from is not None and prior is not None:
        msg = "--prior and --prior-from are two priors; give one."
        raise ArgumentError(msg)
    refuse_options(model, {"--prior": prior, "--prior-from": prior_from, "--weights": weights})
    read = {"categories": categories, **reading}
    responses = steps.call("responses", "read_responses", list(files), **read)
    if model == "hierarchical":
        path, options = "models.hierarchical_bayes", {}
    elif model == "categorical":
        path, options = "models.categorical", {"weights": weights}
    else:
        chosen: Any = prior
        if prior_from is not None:
            greedy = steps.call("greedy", "read_responses", prior_from, **read)
            weight = 1.0 if prior_weight is None else prior_weight
            chosen = steps.call("prior", "EmpiricalPrior", greedy, weight=weight)
        path, options = "models.bayes_at_n", {"weights": weights, "prior": chosen}
    built = steps.call("model", path, responses, **options, weighting=weighting)
    return steps.sample(built, sampling)
