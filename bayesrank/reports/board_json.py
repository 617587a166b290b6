"""A ranking as JSON, under a schema with a version."""

from typing import TYPE_CHECKING, Any

from bayesrank.reports.json_text import plain

if TYPE_CHECKING:
    from bayesrank.ranking import Ranking

__all__ = ["ranking_rows", "ranking_to_dict"]

_SCHEMA_VERSION = 1
_ERRORS = ("score_mcse", "p_best_mcse", "p_top_k_mcse")


def ranking_rows(ranking: "Ranking") -> list[dict[str, Any]]:
    """Return the rows of a ranking, best first, in unrounded numbers.

    Parameters
    ----------
    ranking : Ranking
        The ranking.

    Returns
    -------
    list of dict
        The columns of `Ranking.table`, then ``rank_mean`` (the expected rank) and the Monte Carlo
        errors ``score_mcse``, ``p_best_mcse`` and ``p_top_k_mcse``.
    """
    frame = ranking.table().set_index("model", drop=False)
    for name in ("rank_mean", *_ERRORS):
        frame[name] = ranking.dataset[name].to_series()
    return plain(frame.to_dict("records"))


def ranking_to_dict(ranking: "Ranking") -> dict[str, Any]:
    """Return a ranking as plain values, ready for JSON.

    Parameters
    ----------
    ranking : Ranking
        The ranking.

    Returns
    -------
    dict
        ``schema_version`` (1); ``answer``, one sentence; ``table``, see `ranking_rows`;
        ``observations``, ``population``, ``model``, ``prior``, ``estimand``, ``method``,
        ``diagnostics``, ``notes`` and ``provenance`` as the posterior records them; ``by``,
        ``ci_prob``, ``ci_kind``, ``top_k``; ``groups`` of models not told apart; ``draws``.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [9, 9]], 10, systems=["a", "b"])
    >>> posterior = bayesrank.sample(bayesrank.models.bayes_at_n(responses), random_seed=1)
    >>> found = bayesrank.reports.ranking_to_dict(bayesrank.rank(posterior))
    >>> found["population"], found["table"][0]["model"]
    ('trials', 'b')
    """
    attrs = ranking.dataset.attrs
    record = ranking.record
    by = ["quantile", attrs["quantile"]] if attrs["by"] == "quantile" else attrs["by"]
    return plain(
        {
            "schema_version": _SCHEMA_VERSION,
            "answer": ranking.answer(),
            "table": ranking_rows(ranking),
            "observations": record.observations,
            "population": record.population,
            "model": record.model,
            "prior": record.prior,
            "estimand": record.estimand,
            "method": record.method,
            "by": by,
            "ci_prob": attrs["ci_prob"],
            "ci_kind": attrs["ci_kind"],
            "top_k": attrs["top_k"],
            "groups": ranking.groups(),
            "draws": {
                name: attrs[name] for name in ("chains", "draws", "effective_draws", "tied_draws")
            },
            "diagnostics": record.diagnostics,
            "notes": record.notes,
            "provenance": record.provenance,
        }
    )
