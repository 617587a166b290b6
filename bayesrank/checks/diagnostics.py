"""The gate every posterior passes before it is ranked: did the sampler do its work."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr
from arviz_stats.base.array import array_stats

from bayesrank._text import quoted

__all__ = ["Check", "Diagnostics", "diagnose"]

# Vehtari et al. (2021), doi 10.1214/20-BA1221: rank-normalised split R-hat below 1.01, and bulk
# and tail effective sample sizes above 400 (100 for each of four chains).
R_HAT_BELOW = 1.01
ESS_ABOVE = 400.0
# Betancourt (2016), arXiv:1604.00695: lower energy fractions mean that momentum resampling does
# not reach the tails.
E_BFMI_ABOVE = 0.3
# A variable with more values than this is not looked at: its diagnostics would take longer than
# the sampling, and the scores that summarise it are checked.
MOST_VALUES = 2_000
# Sources of independent draws, in words.
INDEPENDENT = {
    "exact": "independent draws from the exact posterior",
    "bootstrap": "independent draws of the Bayesian bootstrap",
}

type Verdict = Literal["pass", "fail", "not run"]


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes
    ----------
    name : str
        For example "r_hat".
    value : float or None
        The worst value found; None where the check could not run.
    threshold : float
        What it is held against.
    verdict : {"pass", "fail", "not run"}
        The outcome.
    sentence : str
        The outcome in words, with the worst variable.
    """

    name: str
    value: float | None
    threshold: float
    verdict: Verdict
    sentence: str


@dataclass(frozen=True)
class Diagnostics:
    """Verdict on a posterior, and the checks it rests on.

    Attributes
    ----------
    verdict : {"pass", "fail"}
        "pass" where no check failed.
    statement : str
        One sentence: how the draws came about, and what failed.
    checks : tuple of Check
        Every check, in a fixed order.
    """

    verdict: Verdict
    statement: str
    checks: tuple[Check, ...]

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.verdict == "fail")

    def to_dict(self) -> dict[str, Any]:
        """Return verdict, statement and checks as plain values.

        Returns
        -------
        dict
            As records and JSON hold it.
        """
        return {**asdict(self), "checks": [asdict(check) for check in self.checks]}


def diagnose(posterior: xr.DataTree, *, source: str = "nuts") -> Diagnostics:
    r"""Check divergences, R-hat, effective sample sizes and E-BFMI of a posterior.

    Parameters
    ----------
    posterior : DataTree
        With a ``posterior`` group of dims (chain, draw, ...), and ``sample_stats`` where a sampler
        made it.
    source : str, default "nuts"
        How the draws came about. With "exact" (the closed form) or "bootstrap" they are
        independent: then there are no divergences and no energy to look at, but R-hat and
        effective sample size still have to hold, and do not with too few draws.

    Returns
    -------
    Diagnostics

    Notes
    -----
    Values that are equal in all draws have no diagnostics and are passed over, as are variables
    with more than 2,000 values.

    References
    ----------
    .. [1] Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
       Rank-normalization, folding, and localization: an improved R-hat. Bayesian Analysis 16(2),
       667-718. https://doi.org/10.1214/20-BA1221
    .. [2] Betancourt, M. (2016). Diagnosing suboptimal cotangent disintegrations in Hamiltonian
       Monte Carlo. arXiv:1604.00695.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10)
    >>> model = bayesrank.models.bayes_at_n(responses)
    >>> bayesrank.checks.diagnose(bayesrank.sample(model, random_seed=1), source="exact").verdict
    'pass'
    """
    names, values = _varying(posterior["posterior"].to_dataset())
    checks = [
        _worst("r_hat", "R-hat", names, _r_hat(values), R_HAT_BELOW, below=True),
        _worst("ess_bulk", "bulk ESS", names, _ess(values, "bulk"), ESS_ABOVE),
        _worst("ess_tail", "tail ESS", names, _ess(values, "tail"), ESS_ABOVE),
    ]
    if source not in INDEPENDENT:
        stats = posterior["sample_stats"] if "sample_stats" in posterior.children else {}
        checks = [_divergences(stats), *checks, _energy(stats)]
    return _concluded(tuple(checks), source=source, draws=values.shape[0] * values.shape[1])


def _concluded(checks: tuple[Check, ...], *, source: str, draws: int) -> Diagnostics:
    failed = [check for check in checks if check.verdict == "fail"]
    came = f"{draws:,} {INDEPENDENT.get(source, 'draws by Markov chain Monte Carlo')}"
    if failed:
        statement = f"{came}; failed: {' '.join(check.sentence for check in failed)}"
    else:
        unseen = [check.name for check in checks if check.verdict == "not run"]
        statement = f"{came}; no check failed"
        statement += f", {' and '.join(unseen)} not available." if unseen else "."
    return Diagnostics("fail" if failed else "pass", statement, checks)


def _varying(dataset: xr.Dataset) -> tuple[list[str], np.ndarray]:
    """Return labels and draws (chain, draw, value) of all values that differ between draws."""
    names: list[str] = []
    arrays: list[np.ndarray] = []
    for name, variable in dataset.data_vars.items():
        if not {"chain", "draw"} <= set(variable.dims) or variable.dtype.kind not in "fiub":
            continue
        ordered = variable.transpose("chain", "draw", ...)
        flat = ordered.to_numpy().reshape(*ordered.shape[:2], -1).astype(np.float64)
        if flat.shape[2] > MOST_VALUES:
            continue
        labels = list(_labels(str(name), ordered))
        varies = ~(flat == flat[:1, :1]).all(axis=(0, 1))
        names += [label for label, keep in zip(labels, varies, strict=True) if keep]
        arrays.append(flat[:, :, varies])
    sizes = (dataset.sizes["chain"], dataset.sizes["draw"], 0)
    return names, np.concatenate([np.empty(sizes), *arrays], axis=2)


def _labels(name: str, variable: xr.DataArray) -> Iterator[str]:
    dims = [d for d in variable.dims if d not in ("chain", "draw")]
    ticks = [
        [str(v) for v in variable[d].to_numpy()]
        if d in variable.coords
        else [str(i) for i in range(variable.sizes[d])]
        for d in dims
    ]
    for index in np.ndindex(*(len(t) for t in ticks)):
        where = ", ".join(quoted(t[i]) for t, i in zip(ticks, index, strict=True))
        yield f"{name}[{where}]" if where else name


def _r_hat(values: np.ndarray) -> np.ndarray | None:
    if values.shape[1] < 4:
        return None
    found: Any = array_stats.rhat(values, chain_axis=0, draw_axis=1, method="rank")
    return np.asarray(found)


def _ess(values: np.ndarray, kind: str) -> np.ndarray | None:
    if values.shape[1] < 4:
        return None
    prob = (0.05, 0.95) if kind == "tail" else None
    found: Any = array_stats.ess(values, chain_axis=0, draw_axis=1, method=kind, prob=prob)
    return np.asarray(found)


def _worst(
    name: str,
    title: str,
    names: list[str],
    found: np.ndarray | None,
    threshold: float,
    *,
    below: bool = False,
) -> Check:
    sign = "<" if below else ">"
    if found is None:
        sentence = f"{title} needs at least four draws a chain."
        return Check(name, None, threshold, "fail", sentence)
    if not names:
        return Check(name, None, threshold, "not run", f"{title}: no value varies.")
    # A value that is not finite is the worst there is.
    key = np.where(np.isfinite(found), found, np.inf if below else -np.inf)
    at = int(np.argmax(key) if below else np.argmin(key))
    good = bool(key[at] < threshold if below else key[at] > threshold)
    shown = f"{found[at]:.4f}" if below else f"{found[at]:.0f}"
    sentence = (
        f"{title} {shown} of {names[at]} {'meets' if good else 'misses'} {sign} {threshold:g}."
    )
    value = float(found[at]) if np.isfinite(found[at]) else None
    return Check(name, value, threshold, "pass" if good else "fail", sentence)


def _divergences(stats: Any) -> Check:
    if "diverging" not in stats:
        return Check("divergences", None, 0.0, "not run", "Divergences were not recorded.")
    count = int(stats["diverging"].sum())
    sentence = f"{count} divergent transitions." if count else "No divergent transitions."
    return Check("divergences", float(count), 0.0, "fail" if count else "pass", sentence)


def _energy(stats: Any) -> Check:
    if "energy" not in stats:
        return Check("e_bfmi", None, E_BFMI_ABOVE, "not run", "Energies were not recorded.")
    energy = stats["energy"].transpose("chain", "draw").to_numpy()
    variance = energy.var(axis=1)
    steps = (np.diff(energy, axis=1) ** 2).mean(axis=1)
    fraction = np.divide(steps, variance, out=np.zeros(len(energy)), where=variance > 0)
    at = int(np.argmin(fraction))
    good = bool(fraction[at] > E_BFMI_ABOVE)
    sentence = (
        f"E-BFMI {fraction[at]:.2f} of chain {at} {'meets' if good else 'misses'} "
        f"> {E_BFMI_ABOVE:g}."
    )
    return Check("e_bfmi", float(fraction[at]), E_BFMI_ABOVE, "pass" if good else "fail", sentence)
