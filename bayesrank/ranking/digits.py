"""How many digits a Monte Carlo estimate deserves, and how to print 0 and 1 from finite draws."""

import math

__all__ = ["decimals", "number_text", "probability_text"]


def decimals(mcse: float) -> int:
    """Return how many decimals to print: the last one is worth at least one Monte Carlo error.

    Parameters
    ----------
    mcse : float
        Monte Carlo standard error, in the unit of the number; above 0.

    Returns
    -------
    int

    Examples
    --------
    >>> from bayesrank.ranking.digits import decimals
    >>> decimals(0.0079), decimals(0.0009), decimals(3.0)
    (2, 3, 0)
    """
    return max(math.floor(-math.log10(mcse) + 1e-9), 0)


def number_text(value: float, *, places: int) -> str:
    """Return a number with fixed decimals, never as -0.

    Parameters
    ----------
    value : float
        The number.
    places : int
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> from bayesrank.ranking.digits import number_text
    >>> number_text(-0.0004, places=2)
    '0.00'
    """
    return f"{value:z.{places}f}"


def probability_text(probability: float, *, mcse: float, n_draws: float) -> str:
    """Return a probability estimated from draws with the digits it deserves.

    Parameters
    ----------
    probability : float
        Share of draws, between 0 and 1.
    mcse : float
        Its Monte Carlo standard error; where it is 0 or NaN, that of independent draws is taken.
    n_draws : float
        Effective number of draws; `math.inf` for a probability that holds by definition.

    Returns
    -------
    str
        A number whose last digit is worth at least one Monte Carlo error; or a bound, ``<...`` or
        ``>...``, where the draws cannot tell the probability from 0 or from 1.

    Notes
    -----
    An event that never came up in n independent draws has, with 95 % confidence, a probability
    below :math:`1 - 0.05^{1/n}`, about 3 / n (the rule of three [1]_). The bound is rounded up to
    one significant digit; 1 is the mirror image. A probability that is above 0, but would be
    rounded to 0, is printed as a bound too: two Monte Carlo errors above it, rounded up.

    References
    ----------
    .. [1] Hanley, Lippman-Hand (1983). If nothing goes wrong, is everything all right? JAMA
       249(13). https://doi.org/10.1001/jama.1983.03330370053031

    Examples
    --------
    >>> from bayesrank.ranking import probability_text
    >>> probability_text(0.41268, mcse=0.0078, n_draws=4000)
    '0.41'
    >>> probability_text(0.0, mcse=0.0, n_draws=4000)
    '<0.0008'
    >>> probability_text(1.0, mcse=0.0, n_draws=4000)
    '>0.9992'
    >>> probability_text(0.003, mcse=0.0015, n_draws=4000)
    '<0.01'
    """
    if probability > 0.5:
        mirrored = probability_text(1.0 - probability, mcse=mcse, n_draws=n_draws)
        return _mirror(mirrored)
    if probability < 1e-12:  # nothing but rounding: a share of ties summed to nearly 0 or 1
        if math.isinf(n_draws):
            return "0"
        bound = -math.expm1(math.log(0.05) / max(n_draws, 1.0))
        return f"<{_rounded_up(bound, places=math.ceil(-math.log10(bound)))}"
    if not mcse > 0:
        finite = n_draws if 1 <= n_draws < math.inf else 1e6
        mcse = math.sqrt(probability * (1 - probability) / finite)
    places = max(decimals(mcse), 1)
    text = f"{probability:.{places}f}"
    if float(text) == 0:
        return f"<{_rounded_up(probability + 2 * mcse, places=places)}"
    return text


def _rounded_up(value: float, *, places: int) -> str:
    step = 10.0**-places
    text = f"{min(math.ceil(value / step - 1e-9) * step, 1.0):.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text  # .00095 becomes .001, not .0010


def _mirror(text: str) -> str:
    """Return the text of 1 - p for the text of p."""
    sign = {"<": ">", ">": "<"}.get(text[0], "")
    number = text.lstrip("<>")
    places = len(number.partition(".")[2])
    return f"{sign}{1 - float(number):.{places}f}"
