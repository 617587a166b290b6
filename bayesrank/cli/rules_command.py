"""``bayesrank rules``: the ranking rules there are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from bayesrank._validate import validate_choice
from bayesrank.cli._output import check_outputs, emit, line_width

if TYPE_CHECKING:
    from bayesrank.rules import Rule

_USES = {
    "counts": "counts",
    "pairs": "pair counts",
    "events": "whole trials",
    "stream": "trials in order",
}
_AFTER = (
    "Rank by one: bayesrank rank FILE --rule NAME, or NAME:OPTION=VALUE,... .",
    (
        "battles: ranks battle logs too. mean: on complete 0/1 data with equal trials it orders as "
        "the mean does, by a theorem; (1): with one trial a question."
    ),
)


def list_rules(
    *,
    family: str | None = None,
    format: Literal["table", "json"] = "table",  # noqa: A002
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """List the ranking rules, with what they use and their options.

    Parameters
    ----------
    family
        Only those of this family, for example voting.
    format
        How to print it.
    output
        Write to this file instead of printing.
    overwrite
        Replace an output file that exists.
    """
    check_outputs([output], overwrite=overwrite)
    from bayesrank import rules
    from bayesrank.reports.json_text import to_json_text

    found = tuple(sorted(rules.catalogue(), key=lambda rule: rule.family))
    if family is not None:
        families = tuple(dict.fromkeys(rule.family for rule in found))
        validate_choice(family, families, name="--family")
        found = tuple(rule for rule in found if rule.family == family)
    if format == "json":
        text = to_json_text({"schema_version": 1, "rules": [_plain(rule) for rule in found]})
    else:
        text = _table(found, width=line_width(output))
    emit(text, output=output, overwrite=overwrite)
    return 0


def _table(found: "tuple[Rule, ...]", *, width: int) -> str:
    from bayesrank.reports._sheet import Column, Sheet
    from bayesrank.reports.terminal import sheet_to_terminal

    marks = {"always": "mean", "one trial": "mean (1)", "never": ""}
    columns = [
        Column("rule", [rule.name for rule in found], numeric=False),
        Column("family", [rule.family for rule in found], numeric=False),
        Column("uses", [_USES[rule.uses] for rule in found], numeric=False),
        Column("", ["battles" if rule.comparisons else "" for rule in found], numeric=False),
        Column("", [marks[rule.equals_mean] for rule in found], numeric=False),
        Column("options", [", ".join(rule.options) for rule in found], numeric=False),
    ]
    lead = f"{len(found)} rule{'s' * (len(found) != 1)}."
    return sheet_to_terminal(Sheet(lead=(lead,), columns=columns, footer=_AFTER), width=width)


def _plain(rule: "Rule") -> dict[str, Any]:
    return {
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "uses": rule.uses,
        "comparisons": rule.comparisons,
        "monotone": rule.monotone,
        "order_invariant": rule.order_invariant,
        "replication_invariant": rule.replication_invariant,
        "fast": rule.fast,
        "equals_mean": rule.equals_mean,
        "options": {
            name: value if value is None or isinstance(value, (str, int, float)) else repr(value)
            for name, value in rule.options.items()
        },
    }
