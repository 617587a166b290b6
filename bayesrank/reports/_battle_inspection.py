"""What a battle log holds: models, links, judges, sides, and what goes in circles."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesrank._text import listed, shortened
from bayesrank.data import comparison_graph
from bayesrank.data._html import plural
from bayesrank.reports._sheet import Column, Sheet

if TYPE_CHECKING:
    import xarray as xr

    from bayesrank.data import ComparisonGraph, Comparisons

_MOST_NAMED = 20
_TRIADS_SHOWN = 3


def battles_to_dict(comparisons: "Comparisons") -> dict[str, Any]:
    """Return what comparisons hold as plain values."""
    graph = comparison_graph(comparisons)
    return {
        **comparisons.describe(),
        "caveats": list(graph.caveats()),
        "first_share": _first_share(comparisons),
        "comparisons_by_judge": _by_judge(comparisons),
        "cycles": _cycles(_split(comparisons)),
        "models_table": _models(comparisons, graph),
    }


def battles_sheet(comparisons: "Comparisons") -> Sheet:
    """Return what comparisons hold as a sheet of text, the highest win rate first."""
    graph = comparison_graph(comparisons)
    rows = sorted(_models(comparisons, graph), key=lambda row: -row["win_rate"])
    columns = [
        Column("model", [row["model"] for row in rows], numeric=False, name=True),
        *(
            Column(name, [f"{row[name]:,.6g}" for row in rows])
            for name in ("comparisons", "opponents", "wins", "losses", "ties")
        ),
        Column("win rate", [f"{row['win_rate']:.3f}" for row in rows]),
    ]
    footer = [
        "Win rate: wins and half the ties, of all comparisons of a model.",
        _links(graph),
        _opponents(graph),
        f"Only wins: {_named(graph.only_wins)}. Only losses: {_named(graph.only_losses)}.",
        _judges(comparisons),
        _sides(comparisons, graph),
        *_labels(comparisons),
        *_circles(_split(comparisons)),
    ]
    return Sheet(lead=(_lead(comparisons),), columns=columns, footer=footer)


# ---------------------------------------------------------------- numbers


def _models(comparisons: "Comparisons", graph: "ComparisonGraph") -> list[dict[str, Any]]:
    won = comparisons.win_matrix()
    wins, losses = won.sum(axis=1), won.sum(axis=0)
    ties = comparisons.tie_matrix().sum(axis=1)
    total = wins + losses + ties
    rate = np.divide(wins + ties / 2, total, out=np.full(len(total), np.nan), where=total > 0)
    return [
        {
            "model": system,
            "comparisons": float(total[i]),
            "opponents": graph.degree[system],
            "wins": float(wins[i]),
            "losses": float(losses[i]),
            "ties": float(ties[i]),
            "win_rate": float(rate[i]),
        }
        for i, system in enumerate(comparisons.systems)
    ]


def _by_judge(comparisons: "Comparisons") -> dict[str, float] | None:
    if "judge" not in comparisons.factors:
        return None
    judge = comparisons.factors["judge"]
    n = np.bincount(judge.codes, comparisons.n_comparisons, len(judge.levels))
    return dict(zip(judge.levels, n.tolist(), strict=True))


def _first_share(comparisons: "Comparisons") -> float | None:
    """Return the share of decisive comparisons that the model shown first won."""
    decisive = float(comparisons.wins.sum() + comparisons.losses.sum())
    if not comparisons.sided or decisive == 0:
        return None
    return float(comparisons.wins.sum()) / decisive


def _split(comparisons: "Comparisons") -> "xr.Dataset":
    from bayesrank.likelihoods import hodge_decomposition

    return hodge_decomposition(comparisons)


def _cycles(found: "xr.Dataset") -> dict[str, Any]:
    shares = ("cyclic_share", "chance_share", "curl_share", "harmonic_share")
    return {
        **{name: float(found[name]) for name in shares},
        **{name: int(found[name]) for name in ("triads", "intransitive")},
        "worst_triads": [
            {
                "systems": [str(name) for name in found["triad_system"].to_numpy()[k]],
                **{name: float(found[name][k]) for name in ("curl", "curl_se", "share")},
            }
            for k in range(found.sizes["triad"])
        ],
    }


# ---------------------------------------------------------------- words


def _lead(comparisons: "Comparisons") -> str:
    facts = comparisons.describe()
    kind = "expected comparison" if facts["expected"] else "comparison"
    parts = [
        plural(facts["models"], "model"),
        plural(facts["pairs"], "pair"),
        plural(facts["comparisons"], kind) + (" (weights)" if facts["weighted"] else ""),
        plural(facts["ties"], "tie"),
    ]
    if facts["ties_bothbad"]:
        parts.append(f"{facts['ties_bothbad']:,} called both bad")
    missing = facts["missing"]
    parts.append(f"{missing:,} without a winner" if missing else "none without a winner")
    parts.append(
        plural(facts["duplicates"], "duplicate") if facts["duplicates"] else "no duplicate"
    )
    return f"{shortened(comparisons.source, 200)}: {', '.join(parts)}."


def _named(names: tuple[str, ...]) -> str:
    return listed(names, most=_MOST_NAMED) if names else "none"


def _links(graph: "ComparisonGraph") -> str:
    said = " ".join(graph.caveats())
    if not graph.connected:
        return said
    linked = "All models are linked by comparisons"
    if graph.strongly_connected:
        return f"{linked}, and wins lead from each to every other one. {said}".rstrip()
    return (
        f"{linked}, but wins do not lead from each to every other one: without a prior, strengths "
        f"have no finite maximum likelihood{_despite_ties(graph)}. {said}"
    ).rstrip()


def _despite_ties(graph: "ComparisonGraph") -> str:
    return " unless ties are modelled" if len(graph.win_or_tie_classes) == 1 else ""


def _opponents(graph: "ComparisonGraph") -> str:
    low, middle, high = graph.describe()["degree"]
    return (
        f"Opponents of a model: {low:,} to {high:,}, median {middle:,g}. "
        f"{100 * graph.density:.3g} % of all pairs met; comparisons are as concentrated as on "
        f"{graph.effective_pairs:,.0f} equally frequent pairs."
    )


def _judges(comparisons: "Comparisons") -> str:
    found = _by_judge(comparisons)
    if found is None:
        return "Judges: not recorded."
    n = np.array(list(found.values()))
    if len(n) == 1:
        return f"Judges: one, {listed(tuple(found))}."
    return (
        f"Judges: {len(n):,}, with {n.min():,.6g} to {n.max():,.6g} comparisons, "
        f"median {np.median(n):,.6g}."
    )


def _sides(comparisons: "Comparisons", graph: "ComparisonGraph") -> str:
    share = _first_share(comparisons)
    if share is None:
        return "Sides: not recorded."
    return (
        f"Sides: the model shown first won {100 * share:.1f} % of the comparisons that were not "
        f"tied; {100 * graph.side_imbalance:.1f} % of all would have to change sides for every "
        f"pair to be balanced."
    )


def _labels(comparisons: "Comparisons") -> list[str]:
    """Return what else comparisons are labelled with, and covariates."""
    found = [
        f"{name.capitalize()}: {plural(len(factor.levels), 'level')} "
        f"({listed(factor.levels, most=5)})."
        for name, factor in comparisons.factors.items()
        if name != "judge"
    ]
    if comparisons.covariates:
        found.append(f"Covariates: {listed(tuple(comparisons.covariates))}.")
    return found


def _circles(found: "xr.Dataset") -> list[str]:
    facts = _cycles(found)
    if not facts["triads"]:
        return ["Circles: no three models all met one another."]
    holes = facts["harmonic_share"]
    lines = [
        f"Circles: {100 * facts['cyclic_share']:.1f} % of how far models are ahead of one another "
        f"fits no order by one score; chance alone would leave about "
        f"{100 * facts['chance_share']:.1f} %."
        + (f" {100 * holes:.1f} % goes around holes of the graph." if holes > 0.0005 else ""),
        f"Intransitive triads: {facts['intransitive']:,} of {facts['triads']:,}.",
    ]
    worst = facts["worst_triads"][:_TRIADS_SHOWN]
    told = [
        f"{' > '.join(shortened(n) for n in (*triad['systems'], triad['systems'][0]))} "
        f"({triad['curl']:.2f} ± {triad['curl_se']:.2f} around)"
        for triad in worst
        if triad["curl"] > 0
    ]
    return [*lines, *([f"Worst triads: {'; '.join(told)}."] if told else [])]
