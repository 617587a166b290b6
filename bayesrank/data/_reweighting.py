"""Comparisons weighted so that the levels of a factor have the shares of a target."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import listed, quoted
from bayesrank._validate import did_you_mean, validate_finite
from bayesrank.data._cells import OUTCOMES
from bayesrank.exceptions import ArgumentError, InputError

if TYPE_CHECKING:
    from bayesrank.data.comparisons import Comparisons


@dataclass(frozen=True)
class Reweighting:
    """How comparisons were weighted.

    Attributes
    ----------
    factor : str
        Whose levels have the target's shares now.
    target : dict of str to float
        Share of each level; they sum to 1.
    comparisons : float
        How many there were.
    effective : float
        Kish's effective number of them, which is what the weights sum to.
    """

    factor: str
    target: Mapping[str, float]
    comparisons: float
    effective: float

    def sentence(self) -> str:
        """Return what a reader has to know."""
        shares = [f"{quoted(level)} {share:.3g}" for level, share in self.target.items()]
        more = len(shares) - 5
        text = ", ".join(shares[:5]) + (f" and {more} more" if more > 0 else "")
        return (
            f"{self.comparisons:,.6g} comparisons are weighted to these shares of {self.factor}: "
            f"{text}. They carry the information of about {self.effective:,.0f} (Kish)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values."""
        return {
            "factor": self.factor,
            "target": dict(self.target),
            "comparisons": self.comparisons,
            "effective": round(self.effective, 6),
        }


def reweighted(
    comparisons: "Comparisons", factor: str, target: Mapping[str, float]
) -> dict[str, Any]:
    """Return the fields of comparisons weighted to a target."""
    if comparisons.reweighting is not None:
        msg = f"{comparisons.source}: these comparisons are weighted already; weight the originals."
        raise InputError(msg)
    own = comparisons.factor(factor)
    levels = own.levels
    shares = _shares(target, levels, factor=factor, source=comparisons.source)
    n = comparisons.n_comparisons
    observed = np.bincount(own.codes, weights=n, minlength=len(levels))
    lacking = [level for k, level in enumerate(levels) if shares[k] > 0 and observed[k] == 0]
    if lacking:
        raise InputError(_unseen(lacking, factor=factor, source=comparisons.source))
    weight = np.divide(shares, observed, out=np.zeros(len(levels)), where=observed > 0)
    # Weights that sum to Kish's effective size: as many comparisons as they are worth.
    effective = float(1.0 / (observed * weight**2).sum())
    factors = effective * weight[own.codes]
    cells = np.flatnonzero(shares[own.codes] > 0)
    record = Reweighting(
        factor,
        {level: float(share) for level, share in zip(levels, shares, strict=True) if share > 0},
        float(n.sum()),
        effective,
    )
    return {
        "first": comparisons.first[cells],
        "second": comparisons.second[cells],
        **{name: (getattr(comparisons, name) * factors)[cells] for name in OUTCOMES},
        "factors": {name: f.take(cells) for name, f in comparisons.factors.items()},
        "covariates": {name: v[cells] for name, v in comparisons.covariates.items()},
        "weighted": True,
        "reweighting": record,
    }


def _shares(
    target: Mapping[str, float], levels: tuple[str, ...], *, factor: str, source: str
) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return the share of each level, which sum to 1."""
    given = {
        str(level): validate_finite(share, name=f"target[{quoted(str(level))}]", minimum=0.0)
        for level, share in target.items()
    }
    strangers = [level for level, share in given.items() if level not in levels and share > 0]
    if strangers:
        raise InputError(
            _unseen(strangers, factor=factor, source=source) + did_you_mean(strangers[0], levels)
        )
    unsaid = [level for level in levels if level not in given]
    if unsaid:
        msg = (
            f"{source}: target= gives no share to {factor} {listed(unsaid)}; give each level one, "
            f"0 to leave its comparisons out."
        )
        raise ArgumentError(msg)
    shares = np.array([given[level] for level in levels])
    if shares.sum() == 0:
        msg = "target= gives every level the share 0; there must be one to weight to."
        raise ArgumentError(msg)
    return shares / shares.sum()


def _unseen(levels: list[str], *, factor: str, source: str) -> str:
    return (
        f"{source}: no comparison of {factor} {listed(levels)}, to which target= gives a share; "
        f"nothing can be weighted up to it. Leave it out of the target, and say so."
    )
