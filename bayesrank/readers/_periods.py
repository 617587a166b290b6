"""Times of battles as periods: months, weeks and their like."""

from typing import Literal, get_args

from bayesrank.data._connection import literal

type Period = Literal["year", "quarter", "month", "week", "day"]

PERIODS: tuple[Period, ...] = get_args(Period.__value__)
# Sorted as text, these follow each other in time.
_NAMES: dict[Period, str] = {
    "year": "%Y",
    "month": "%Y-%m",
    "week": "%G-W%V",
    "day": "%Y-%m-%d",
}
# Seconds since 1970 from 1973 on; years and dates like 20240501 are smaller.
_SECONDS = 1e8
# From here on a number counts milliseconds: as seconds it is the year 5138.
_MILLISECONDS = 1e11
_LATEST = 1e14
# A time that ends in Z, or in hours (and minutes) from UTC.
_WITH_OFFSET = r":\d\d.*(Z|[+-]\d\d(:?\d\d)?)$"


def period_of(text: str, period: Period) -> str:
    """Return the SQL of the period, in UTC, that a time in a text lies in; NULL where it is none.

    A time is a date, and a time of day, as ISO 8601 writes them, or the seconds or milliseconds
    since 1970.
    """
    number = f"TRY_CAST({text} AS DOUBLE)"
    seconds = f"CASE WHEN {number} >= {_MILLISECONDS} THEN {number} / 1000 ELSE {number} END"
    time = (
        f"CASE WHEN {number} >= {_SECONDS} AND {number} < {_LATEST} "
        f"THEN make_timestamp(CAST(round(({seconds}) * 1000000) AS BIGINT)) "
        f"WHEN {number} IS NOT NULL THEN NULL "
        f"WHEN regexp_matches({text}, {literal(_WITH_OFFSET)}) "
        f"THEN make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))) "
        f"ELSE TRY_CAST({text} AS TIMESTAMP) END"
    )
    if period == "quarter":
        return f"strftime({time}, '%Y') || '-Q' || CAST(quarter({time}) AS VARCHAR)"
    return f"strftime({time}, {literal(_NAMES[period])})"
