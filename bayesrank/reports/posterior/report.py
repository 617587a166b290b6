"""`posterior_report`: all that a reviewer asks of a posterior, with a verdict on each check."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import xarray as xr

from bayesrank._html import framed
from bayesrank._html import table as html_table
from bayesrank.data import Comparisons, Responses
from bayesrank.ranking import Ranking
from bayesrank.reports.board_json import ranking_to_dict
from bayesrank.reports.json_text import plain, to_json_text
from bayesrank.reports.posterior._parts import ReportCheck, ReportSection
from bayesrank.reports.posterior.text import number_cell
from bayesrank.typing import By, RandomSeed

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["PosteriorReport", "posterior_report"]

_SCHEMA_VERSION = 1


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorReport:
    """A posterior report: sections in order, and the checks they come to.

    Attributes
    ----------
    title : str
        What was ranked.
    answer : str
        The decision; "not enough data to name a best model" is one.
    sections : tuple of ReportSection
        Question, data, model, prior, sampler, ranks, predictive, calibration, loo, sensitivity,
        decision, multiplicity, limits and reproduction, each with ``id, title, sentences, facts,
        formulas, graph, figures, tables`` and ``values`` (numbers, unrounded).
    checks : tuple of ReportCheck
        Each with ``section, name, value, threshold, verdict`` and ``sentence``.
    ranking : Ranking
        The ranking that the report is about.
    summary : tuple of (str, str)
        Facts for the top of a page.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=4, questions=10, random_seed=1)
    >>> model = bayesrank.models.bayes_at_n(responses, prior="pooled")
    >>> posterior = bayesrank.sample(model, random_seed=1)
    >>> report = bayesrank.reports.posterior_report(posterior, model=model, random_seed=1)
    >>> len(report.sections)
    14
    """

    title: str
    answer: str
    sections: tuple[ReportSection, ...]
    checks: tuple[ReportCheck, ...]
    ranking: Ranking
    summary: tuple[tuple[str, str], ...] = field(default=())

    @property
    def verdict(self) -> Literal["pass", "warn", "fail"]:
        """The worst verdict of all checks; those that were not run do not count."""
        found = {check.verdict for check in self.checks}
        return "fail" if "fail" in found else "warn" if "warn" in found else "pass"

    def of(self, section: str) -> tuple[ReportCheck, ...]:
        """Return the checks of a section.

        Parameters
        ----------
        section : str
            Its identifier.

        Returns
        -------
        tuple of ReportCheck
        """
        return tuple(check for check in self.checks if check.section == section)

    def status(self) -> str:
        """Return what the checks come to, in one sentence.

        Returns
        -------
        str
        """
        counts = {word: sum(c.verdict == word for c in self.checks) for word in _COUNTED}
        told = ", ".join(f"{n} {_COUNTED[word]}" for word, n in counts.items() if n)
        meaning = {
            "fail": "The numbers of this report may be wrong.",
            "warn": "The numbers can be used with what the warnings say of them.",
            "pass": "No check that was run speaks against the numbers.",
        }[self.verdict]
        return f"Of {len(self.checks)} checks {told}. {meaning}"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON.

        Returns
        -------
        dict
            ``schema_version`` (1), ``kind`` ("posterior-report"), ``title, answer, verdict,
            status``; ``checks``; ``sections``, each with ``id, title, sentences, facts, formulas,
            graph`` (nodes, edges, mermaid), ``tables`` (those of its figures among them) and
            ``values``; ``ranking``, see `ranking_to_dict`.
        """
        return plain(
            {
                "schema_version": _SCHEMA_VERSION,
                "kind": "posterior-report",
                "title": self.title,
                "answer": self.answer,
                "verdict": self.verdict,
                "status": self.status(),
                "checks": [vars(check) for check in self.checks],
                "sections": [_section_to_dict(section) for section in self.sections],
                "ranking": ranking_to_dict(self.ranking),
            }
        )

    def to_json(self) -> str:
        """Return the report as JSON in plain ASCII; see `to_dict`.

        Returns
        -------
        str
        """
        return to_json_text(self.to_dict())

    def to_html(self) -> str:
        """Return the report as one HTML file that needs nothing else, and no script.

        Returns
        -------
        str
            The page. The same report always gives the same characters.
        """
        from bayesrank.reports.page.report import report_page

        return report_page(self)

    def __repr__(self) -> str:
        """One line: what was ranked, and what the checks come to."""
        return f"<PosteriorReport: {self.title}; {self.verdict}, {len(self.checks)} checks>"

    def _repr_html_(self) -> str:
        rows = [
            (c.name, c.verdict, number_cell(c.value), number_cell(c.threshold), c.sentence)
            for c in self.checks
        ]
        header = ("check", "verdict", "value", "threshold", "in words")
        lines = [sentence for section in self.sections[-2:] for sentence in section.sentences]
        return framed(self.answer, html_table(self.status(), header, rows), lines)


_COUNTED = {"pass": "passed", "warn": "warn", "fail": "failed", "not run": "not run"}


def posterior_report(
    posterior: xr.DataTree,
    *,
    model: "pm.Model | None" = None,
    data: Responses | Comparisons | None = None,
    by: By = "mean",
    ci_prob: float = 0.95,
    ci_kind: Literal["eti", "hdi"] = "eti",
    top_k: int = 3,
    title: str | None = None,
    command: str | None = None,
    code: Sequence[str] = (),
    random_seed: RandomSeed = None,
) -> PosteriorReport:
    """Report on a posterior as reviewers of Bayesian analyses ask for.

    The question and its estimand; data and what is missing; the model in words, maths and as a
    graph; priors with reasons and what they predict; the sampler; diagnostics of scores and of
    ranks; posterior predictive checks, calibration and leave-one-out; sensitivity to the prior and
    to the data; the decision, for which "not enough data" is an answer; many comparisons; limits;
    and what it takes to make it again. What cannot be run says so, and why.

    Parameters
    ----------
    posterior : DataTree
        From `bayesrank.sample`, `bayesrank.rules.posterior` or `bayesrank.read_posterior`, or any
        other with ``score(chain, draw, system)``. Groups ``log_likelihood`` and ``log_prior`` are
        used where there are any.
    model : pymc.Model, optional
        The model it was drawn of: checks of predictions, of the prior and of sensitivity need it.
        For a model with a parameter a cell sample with ``keep_probabilities=True``.
    data : Responses or Comparisons, optional
        What was observed, for a posterior that does not say; that of `model` by default.
    by : str, default "mean"
        What to sort by, as in `bayesrank.rank`.
    ci_prob : float, default 0.95
        Probability of intervals, and what a model's probability of being best has to reach for it
        to be named the best.
    ci_kind : {"eti", "hdi"}, default "eti"
        Kind of the intervals of scores.
    top_k : int, default 3
        Places that P(top k) is about.
    title : str, optional
        Title; by default the number of models and the source of the data.
    command : str, optional
        The command that made it, for the last section.
    code : sequence of str, optional
        Statements that make the posterior, for the same.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness of predictions and reweighting.

    Returns
    -------
    PosteriorReport

    Raises
    ------
    ArgumentError
        For a posterior without ``score``, or one of other data than `model` or `data`.

    References
    ----------
    .. [1] Gelman, A., Vehtari, A., Simpson, D. et al. (2020). Bayesian workflow. arXiv:2011.01808.
    .. [2] Kruschke, J. K. (2021). Bayesian analysis reporting guidelines. Nature Human Behaviour 5,
       1282-1291. https://doi.org/10.1038/s41562-021-01177-7
    .. [3] Vehtari, A., Gelman, A. and Gabry, J. (2017). Practical Bayesian model evaluation using
       leave-one-out cross-validation and WAIC. Statistics and Computing 27, 1413-1432.
       https://doi.org/10.1007/s11222-016-9696-4
    .. [4] Kallioinen, N., Paananen, T., Bürkner, P.-C. and Vehtari, A. (2024). Detecting and
       diagnosing prior and likelihood sensitivity with power-scaling. Statistics and Computing 34,
       57. https://doi.org/10.1007/s11222-023-10366-5

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=4, questions=10, random_seed=1)
    >>> model = bayesrank.models.bayes_at_n(responses, prior="pooled")
    >>> posterior = bayesrank.sample(model, random_seed=1)
    >>> report = bayesrank.reports.posterior_report(posterior, model=model, random_seed=1)
    >>> report.of("data")[0].sentence
    'No outcome is missing.'
    """
    # What finds out all this needs PyMC; whoever only prints a table does not wait for it.
    from bayesrank.reports.posterior._build import built

    return built(
        posterior,
        model=model,
        data=data,
        ranked={"by": by, "ci_prob": ci_prob, "ci_kind": ci_kind, "top_k": top_k},
        title=title,
        command=command,
        code=code,
        random_seed=random_seed,
    )


def _section_to_dict(section: ReportSection) -> dict[str, Any]:
    twins = [*(f.twin for f in section.figures if f.twin is not None), *section.tables]
    graph = section.graph
    return {
        "id": section.id,
        "title": section.title,
        "sentences": section.sentences,
        "facts": section.facts,
        "formulas": section.formulas,
        "graph": None
        if graph is None
        else {
            "nodes": [vars(node) for node in graph.nodes],
            "edges": graph.edges,
            "mermaid": graph.mermaid(),
        },
        "tables": [{"caption": t.caption, "header": t.header, "rows": t.rows} for t in twins],
        "values": section.values,
    }
