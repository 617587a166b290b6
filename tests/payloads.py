"""Hostile text for every field of every input, by what it attacks; distinct and never empty.

No payload may reach its goal through any output: no element or script in HTML, no escape sequence
in a terminal, no formula in a CSV cell, no markup in Markdown, LaTeX or rich. Each one that runs a
script would call ``alert``, so that a browser test can listen for dialogs.
"""

XSS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</title><script>alert(3)</script>",
    "</style><script>alert(4)</script>",
    "</textarea><script>alert(5)</script>",
    "<img src=x onerror=alert(6)>",
    "<svg onload=alert(7)>",
    "<svg><script>alert(8)</script></svg>",
    "<svg><animate onbegin=alert(9) attributeName=x dur=1s>",
    "</svg><img src=x onerror=alert(10)>",
    '"><img src=x onerror=alert(11)>',
    "'><img src=x onerror=alert(12)>",
    '" onmouseover="alert(13)" x="',
    "' onfocus='alert(14)' autofocus='",
    "` onclick=alert(15) x=`",
    " onpointerenter=alert(16) ",
    "<iframe srcdoc='<script>parent.alert(17)</script>'></iframe>",
    "<iframe src=javascript:alert(18)></iframe>",
    "<a href=javascript:alert(19)>19</a>",
    "javascript:alert(20)",
    "<details open ontoggle=alert(21)>",
    "<input autofocus onfocus=alert(22)>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(23)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(24)>'>",
    "<!--><img src=x onerror=alert(25)>-->",
    "]]><script>alert(26)</script>",
    "<link rel=stylesheet href=//attacker.invalid/27.css>",
    "<style>@import '//attacker.invalid/28.css';</style>",
    "<base href=//attacker.invalid/29/>",
    "<meta http-equiv=refresh content='0;url=//attacker.invalid/30'>",
    "<form action=//attacker.invalid/31><button autofocus>31</button></form>",
    "<object data=//attacker.invalid/32></object>",
    "<body onload=alert(33)>",
    "&lt;script&gt;alert(34)&lt;/script&gt;",
    "&#60;script&#62;alert(35)&#60;/script&#62;",
    "\\u003cscript\\u003ealert(36)\\u003c/script\\u003e",
    "<scr\x00ipt>alert(37)</scr\x00ipt>",
    "{{ 7 * 191 }}{% raw %}",
    "${alert(39)}",
    "<template shadowrootmode=open><img src=x onerror=alert(40)></template>",
)
"""What would add an element, run a script or fetch something; several end a context first."""

TERMINAL = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://attacker.invalid\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "bell\x07",
    "back\x08\x08\x08\x08space",
    "over\rwritten",
    "two\nlines",
    "a\ttab",
    "form\x0cfeed",
    "nul\x00byte",
)
"""Control codes a terminal would act on, and line breaks."""

INVISIBLE = (
    "\u202eabc",
    "\u2066abc\u2069\u2067",
    "zero\u200bwidth",
    "join\u200der",
    "\ufeffbyte order mark",
    "line\u2028separator",
    "paragraph\u2029separator",
    "tag\U000e0041s",
    "private\ue000use",
)
"""Characters that reorder, hide or break text."""

FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    '=HYPERLINK("http://attacker.invalid","click")',
    "=cmd|' /C calc'!A0",
    "\t=2+1",
    "\r=3+1",
    "\uff1d4+1",
)
"""Cells a spreadsheet would compute."""

MARKUP = (
    "[bold red]rich[/bold red]",
    "[/]",
    "[link=http://attacker.invalid]x[/link]",
    "a|b",
    "**bold**",
    "[text](http://attacker.invalid)",
    "![image](http://attacker.invalid/x.png)",
    "`code`",
    "# heading",
    "\\input{/etc/passwd}",
    "\\write18{touch x}",
    "50% & $x_1^2$ #1 {a} ~ \\",
    "comma, \"quote\", 'quote'",
    "%s %d {0} {name}",
)
"""Markup of rich, Markdown, LaTeX, CSV and format strings."""

LONG = "long " + "x" * 9_995
"""Ten thousand characters."""

HOSTILE = (*XSS, *TERMINAL, *INVISIBLE, *FORMULAS, *MARKUP, LONG)
"""All of them."""
