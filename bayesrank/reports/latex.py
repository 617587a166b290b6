"""A sheet as a LaTeX table for booktabs, in which no name is a command."""

import re

from bayesrank._text import visible
from bayesrank.reports._sheet import Sheet

__all__ = ["escape_latex", "sheet_to_latex"]

# Besides TeX's own specials: brackets, which a line break before them would take for its
# argument, quotes that babel makes active, and what ligatures would turn into something else.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        '"': '{\\string"}',
        "`": "{`}",
    }
)
_LIGATURE = re.compile(r"-(?=-)|,(?=,)|'(?=')")


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        One line of LaTeX for text mode.

    Examples
    --------
    >>> from bayesrank.reports.latex import escape_latex
    >>> print(escape_latex("50 % of $x_1$"))
    50 \% of \$x\_1\$
    """
    return _LIGATURE.sub(r"\g<0>{}", visible(text).translate(_ESCAPES))


def sheet_to_latex(sheet: Sheet) -> str:
    r"""Return a sheet as a ``table`` environment; it needs ``\usepackage{booktabs}``.

    Parameters
    ----------
    sheet : Sheet
        What to show.

    Returns
    -------
    str
        LaTeX, the last line ended.
    """
    rows = [" & ".join(escape_latex(cell) for cell in row) + r" \\" for row in sheet.rows]
    lines = [
        r"\begin{table}",
        r"  \centering",
        r"  \caption{" + " ".join(escape_latex(line) for line in sheet.lead) + "}",
        r"  \begin{tabular}{" + "".join("r" if c.numeric else "l" for c in sheet.columns) + "}",
        r"    \toprule",
        "    " + " & ".join(escape_latex(cell) for cell in sheet.header) + r" \\",
        r"    \midrule",
        *("    " + row for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(r"  \par\footnotesize " + escape_latex(line) for line in sheet.footer),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
