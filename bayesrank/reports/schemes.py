"""Schemes as text: the catalogue, one scheme, and what a scheme made of the completions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayesrank._text import listed, quoted, shortened
from bayesrank._validate import validate_choice, validate_count
from bayesrank.reports._sheet import Column, Sheet
from bayesrank.reports.json_text import to_json_text
from bayesrank.reports.terminal import sheet_to_terminal

if TYPE_CHECKING:
    from bayesrank.data import Responses
    from bayesrank.schemes import Scheme

__all__ = ["render_categories", "render_scheme", "render_schemes"]

_VERSION = {"schema_version": 1}
_AFTER_LIST = (
    (
        "bayesrank schemes show NAME prints the rules of one; with --format toml as a file to "
        "change, which --scheme FILE.toml takes."
    ),
    (
        "The weights of conservative, verifier-only and the example efficiency-adjusted are "
        "public; the others are bayesrank's own design."
    ),
)


def render_schemes(
    schemes: "Sequence[Scheme]",
    *,
    format: Literal["table", "json"] = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return a list of schemes.

    Parameters
    ----------
    schemes : sequence of Scheme
        For example all of the catalogue.
    format : {"table", "json"}, default "table"
        Text for a terminal, or JSON: ``schemes``, one object each.
    width : int, default 100
        Characters a line of text has room for.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> from bayesrank.reports import render_schemes
    >>> print(render_schemes([schemes.load("verifier-only")]).splitlines()[0])
    1 scheme, 1 of them representative (*).
    """
    validate_choice(format, ("table", "json"), name="format")
    if format == "json":
        return to_json_text({**_VERSION, "schemes": [_plain(scheme) for scheme in schemes]})
    n, marked = len(schemes), sum(scheme.representative for scheme in schemes)
    alike = [s.near_duplicate_of and f"near {s.near_duplicate_of}" for s in schemes]
    columns = [
        Column("", [s.letter for s in schemes], numeric=False),
        Column("scheme", [s.name + "*" * s.representative for s in schemes], False, True),
        Column("looks at", [s.axis for s in schemes], numeric=False),
        Column("weights", [" ".join(f"{w:g}" for w in s.weights) for s in schemes], numeric=False),
        Column("", alike, numeric=False),
    ]
    lead = f"{n} scheme{'s' * (n != 1)}, {marked} of them representative (*)."
    sheet = Sheet(lead=(lead,), columns=columns, footer=_AFTER_LIST)
    return sheet_to_terminal(sheet, width=validate_count(width, name="width"))


def render_scheme(
    scheme: "Scheme",
    *,
    format: Literal["table", "json", "toml"] = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return the rules of one scheme.

    Parameters
    ----------
    scheme : Scheme
        The scheme.
    format : {"table", "json", "toml"}, default "table"
        Text for a terminal, JSON, or the TOML file that `bayesrank.schemes.load` reads.
    width : int, default 100
        Characters a line of text has room for.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> from bayesrank.reports import render_scheme
    >>> print(render_scheme(schemes.load("correctness")).splitlines()[0])
    correctness: Right or wrong, and nothing else.
    """
    validate_choice(format, ("table", "json", "toml"), name="format")
    if format == "toml":
        return scheme.to_toml()
    if format == "json":
        return to_json_text({**_VERSION, **_plain(scheme)})
    columns = [
        Column("", [str(i) for i in range(scheme.n_categories)]),
        Column("category", list(scheme.category_names), numeric=False, name=True),
        Column("weight", [f"{w:g}" for w in scheme.weights]),
        Column("when", [c.when for c in scheme.categories], numeric=False, name=True),
    ]
    order = (
        "The first rule that holds decides."
        if scheme.match == "first"
        else "Exactly one rule holds for every completion, in whatever order they are looked at."
    )
    parts = [f"Looks at: {scheme.axis}.", f"Weights: {scheme.weights_from or 'not said'}."]
    if scheme.near_duplicate_of:
        parts.append(f"Orders models almost as scheme {scheme.near_duplicate_of} does.")
    footer = [
        order,
        *(f"{name} := {text}" for name, text in scheme.definitions),
        *(_threshold(t) for t in scheme.thresholds),
        f"Signals: {', '.join(scheme.needs)}.",
        " ".join(parts),
    ]
    head = shortened(scheme.name)
    lead = f"{head}: {scheme.description}" if scheme.description else f"{head}."
    sheet = Sheet(lead=(lead,), columns=columns, footer=footer)
    return sheet_to_terminal(sheet, width=validate_count(width, name="width"))


def render_categories(
    scheme: "Scheme",
    responses: "Responses",
    *,
    format: Literal["table", "json"] = "table",  # noqa: A002
    width: int = 100,
) -> str:
    """Return how often every model fell into every category of a scheme.

    Parameters
    ----------
    scheme : Scheme
        The scheme that was applied.
    responses : Responses
        From `bayesrank.schemes.apply`.
    format : {"table", "json"}, default "table"
        Text for a terminal, or JSON with the counts.
    width : int, default 100
        Characters a line of text has room for.

    Returns
    -------
    str
        Text, the last line ended.

    Raises
    ------
    ArgumentError
        For an unknown format or a width below 1.

    Examples
    --------
    >>> from bayesrank import schemes
    >>> from bayesrank.reports import render_categories
    >>> signals = schemes.simulate_signals(systems=2, questions=3, trials=2, random_seed=1)
    >>> scheme = schemes.load("correctness")
    >>> text = render_categories(scheme, schemes.apply(scheme, signals))
    >>> print(text.splitlines()[0])
    frame, scheme 'correctness': 2 models, 3 questions, 12 completions, none missing.
    """
    validate_choice(format, ("table", "json"), name="format")
    counts = responses.counts.sum(axis=1)
    missing = responses.missing.sum(axis=1)
    if format == "json":
        models = [
            {"model": system, "counts": counts[i].tolist(), "missing": int(missing[i])}
            for i, system in enumerate(responses.systems)
        ]
        found = {"scheme": _plain(scheme), "source": responses.source, "models": models}
        return to_json_text({**_VERSION, **found, "notes": list(scheme.notes())})
    share = counts / counts.sum(axis=1, keepdims=True)
    mean = share @ np.array(scheme.weights)
    order = np.argsort(-mean, kind="stable")
    columns = [
        Column("model", [responses.systems[i] for i in order], numeric=False, name=True),
        Column("completions", [f"{counts[i].sum():,}" for i in order]),
        Column("missing", [f"{missing[i]:,}" for i in order]),
        *(
            Column(str(c), [f"{100 * share[i, c]:.1f} %" for i in order])
            for c in range(scheme.n_categories)
        ),
        Column("mean weight", [f"{mean[i]:.3f}" for i in order]),
    ]
    names = "; ".join(f"{i} {shortened(c.name)}" for i, c in enumerate(scheme.categories))
    unused = [n for n, k in zip(scheme.category_names, counts.sum(axis=0), strict=True) if k == 0]
    footer = [f"Categories: {names}.", *scheme.notes()]
    if missing.sum():
        treated = (
            "counted as the first category" if responses.missing_as == "failure" else "left out"
        )
        footer.append(f"Missing: a signal of the scheme is; {treated}.")
    if unused:
        footer.append(f"No completion is in {listed(unused)}: it is left to the prior.")
    lead = (
        f"{shortened(responses.source, 200)}: {_counted(len(responses.systems), 'model')}, "
        f"{_counted(len(responses.questions), 'question')}, "
        f"{_counted(int(counts.sum()), 'completion')}, "
        f"{int(missing.sum()) or 'none'} missing."
    )
    sheet = Sheet(lead=(lead,), columns=columns, footer=footer)
    return sheet_to_terminal(sheet, width=validate_count(width, name="width"))


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _threshold(t: Any) -> str:
    among = f" among completions where {quoted(t.among)}" if t.among else ""
    whose = "of each model" if t.per == "model" else "of all models together"
    return f"{t.name} := percentile {t.percentile:g} of {t.signal}{among}, {whose}"


def _plain(scheme: "Scheme") -> dict[str, Any]:
    texts = ("name", "letter", "axis", "description", "weights_from", "near_duplicate_of", "match")
    return {
        **{key: getattr(scheme, key) for key in texts},
        "representative": scheme.representative,
        "signals": list(scheme.needs),
        "definitions": dict(scheme.definitions),
        "thresholds": [
            {
                "name": t.name,
                "signal": t.signal,
                "percentile": t.percentile,
                "among": t.among,
                "per": t.per,
            }
            for t in scheme.thresholds
        ],
        "categories": [
            {"name": c.name, "weight": c.weight, "when": c.when} for c in scheme.categories
        ],
    }
