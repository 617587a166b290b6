"""The command line: one thin file a command, and one place where errors become one line."""

from bayesrank.cli._main import main

__all__ = ["main"]
