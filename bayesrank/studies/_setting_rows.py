"""What a study keeps of a posterior: scores and ranks with their intervals, and who is best."""

from typing import Any

import xarray as xr

from bayesrank._record import read_record
from bayesrank.ranking import rank

__all__ = ["KEPT", "row_of"]

KEPT = (
    *("score", "score_low", "score_high", "rank", "rank_low", "rank_high"),
    *("rank_mean", "p_best"),
)


def row_of(posterior: xr.DataTree, *, level: float, centred: bool = False) -> dict[str, Any]:
    """Return what is kept of one posterior, each of shape (system,), and its verdict.

    With `centred`, scores are against their mean in each draw: the level of strengths is known
    from their prior only, and says nothing.
    """
    scores = posterior["posterior"]["score"].transpose("chain", "draw", "system")
    if centred:
        scores = scores - scores.mean("system")
    record = read_record(posterior)
    found = rank(posterior if not centred else scores, ci_prob=level).dataset
    kept: dict[str, Any] = {name: found[name].to_numpy() for name in KEPT}
    failed = [c["sentence"] for c in record.diagnostics["checks"] if c["verdict"] == "fail"]
    return {**kept, "verdict": record.verdict, "failed": " ".join(failed)}
