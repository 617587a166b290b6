"""What a plan says in sentences: how much more, of what, and where the answer ends."""

from typing import TYPE_CHECKING

from bayesrank._text import quoted
from bayesrank.data._html import plural
from bayesrank.ranking.digits import number_text, probability_text

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "allocation_answer",
    "amount",
    "answer",
    "chance",
    "footer",
    "percent",
    "score",
    "times",
]

_EACH = {
    "trials": "of each model and question",
    "questions": "like these",
    "votes": "spread over the pairs as now",
}
_SCALE = {"votes": " in log-odds"}


def percent(share: float) -> str:
    """Return a share in whole percents, never rounded to all or to nothing."""
    if 0.0 < share < 0.005:
        return "<1 %"
    if 0.995 < share < 1.0:
        return ">99 %"
    return f"{100 * share:.0f} %"


def amount(value: float) -> str:
    """Return a number of trials or votes with the digits that a simulation deserves."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 100 else f"{value:,.0f}"


def times(factor: float) -> str:
    """Return how many times the present data something is."""
    if factor < 0.095:
        return f"{factor:.2g}"
    return f"{factor:.1f}" if factor < 9.95 else amount(factor)


def answer(plan: "xr.Dataset") -> list[str]:
    """Return the answer, and what has to be said beside it."""
    a = plan.attrs
    what, level = _goal(plan), f"{100 * a['confidence']:g} %"
    if a["reached"]:
        return [f"No more {a['resource']} are needed to settle {what}: {level} is reached now."]
    target = percent(a["target"])
    if a["reachable"]:
        more, ratio = _more(plan, a["needed"]), times(a["needed"] / a["now"])
        futures = f"{_interval(a)}by the error of {a['futures']:,} simulated futures"
        return [
            f"About {more} settle {what}, at {level} and with {target} assurance.",
            f"That is {ratio} times as many as there are; {futures}.",
        ]
    found = percent(float(plan["assurance"].to_numpy()[-1]))
    most = _more(plan, int(plan["size"].to_numpy()[-1]))
    close = f"in {percent(a['close_share'])} of the posterior draws {_models(a['goal'])} are closer"
    asked = f"in {found} of simulated futures; {target} were asked for"
    return [
        f"Not within {a['max_factor']:,g} times the data: {close} than {_gap(a)}.",
        f"{most} would settle {what} at {level} {asked}.",
    ]


def allocation_answer(found: "xr.Dataset") -> list[str]:
    """Return where most of a budget goes."""
    a = found.attrs
    more = found["more"].to_numpy()
    order = more.argsort(kind="stable")[::-1]
    names = [str(n) for n in found["system"].to_numpy()]
    some = [i for i in order[:2] if more[i] > 0]
    if a["resource"] == "votes":
        pairs = found.sizes["contest"]
        first, second = (str(found[v].to_numpy()[0]) for v in ("first", "second"))
        top = int(found["votes"].to_numpy()[0])
        rest = f", the rest on {plural(pairs - 1, 'more pair')}" if pairs > 1 else ""
        both = f"between {quoted(first)} and {quoted(second)}"
        return [f"{top:,} of the next {plural(a['budget'], 'vote')} tell most {both}{rest}."]
    share = sum(int(more[i]) for i in some)
    told = " and ".join(quoted(names[i]) for i in some)
    which = "it is" if len(some) == 1 else "one of them is"
    lead = f"{share:,} of the next {plural(a['budget'], 'trial')} tell most with {told}"
    return [f"{lead}: whether {which} the best model is what is open."]


def footer(plan: "xr.Dataset") -> list[str]:
    """Return what has to be known to read a plan or an allocation."""
    a = plan.attrs
    about = {
        "trials": "these questions, new runs",
        "questions": "new questions like these",
        "battles": "new battles like these",
    }[a["population"]]
    lines = [f"Population: {a['population']} ({about})."]
    if a["population"] == "trials":
        lines.append(f"Prior of outcome probabilities: {a['prior']}.")
    if "futures" in a:
        lines.append(
            f"Assurance: share of {a['futures']:,} simulated futures that reach the goal; truths "
            f"are drawn from the present posterior. It is no better than that posterior."
        )
    else:
        lines.append(
            f"Top-two Thompson sampling on {a['draws']:,} draws: half to the best model of a draw, "
            f"half to the best of another in which it is another."
        )
    return [*lines, *a["notes"], f"Data: {a['source']}, hash {a['data_hash']}; seed {a['seed']}."]


def _goal(plan: "xr.Dataset") -> str:
    if plan.attrs["goal"] == "pair":
        one, other = plan.attrs["pair"]
        return f"which of {quoted(one)} and {quoted(other)} is better"
    if plan.attrs["goal"] == "top1":
        return "which model is the best"
    return "the whole order (all neighbours told apart)"


def _models(goal: str) -> str:
    return {"pair": "the two models", "top1": "the two best models", "adjacent": "some neighbours"}[
        goal
    ]


def _more(plan: "xr.Dataset", size: int) -> str:
    """Return so many more, and what they come to."""
    a = plan.attrs
    if size <= 0:
        return ""
    each = float((plan["total"] / plan["size"])[0])
    noun = a["resource"].removesuffix("s")
    text = f"{amount(size)} more {noun if size == 1 else a['resource']} {_EACH[a['resource']]}"
    if a["resource"] == "votes":
        return text
    return f"{text} ({amount(size * each)} trials in all)"


def _interval(a: dict[str, object]) -> str:
    low, high = int(str(a["needed_low"])), int(str(a["needed_high"]))
    if high < 0:
        return f"{amount(low)} or more, "
    return "" if low == high else f"{amount(low)} to {amount(high)} "


def _gap(a: dict[str, object]) -> str:
    return f"{float(str(a['close_gap'])):.2g}{_SCALE.get(str(a['resource']), '')}"


def chance(p: float, n: int) -> str:
    """Return a probability that a number of draws estimates."""
    return probability_text(p, mcse=0.0, n_draws=n)


def score(value: float) -> str:
    """Return a score."""
    return number_text(value, places=3)
