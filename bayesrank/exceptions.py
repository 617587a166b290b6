"""What can go wrong, by kind: one base class, so that a caller can catch all of it."""

__all__ = [
    "ArgumentError",
    "BayesrankError",
    "BayesrankWarning",
    "ChecksFailedError",
    "InputError",
    "MissingExtraError",
    "OutputExistsError",
]


class BayesrankError(Exception):
    """Base class of every error that bayesrank raises on purpose."""


class ArgumentError(BayesrankError, ValueError):
    """An argument has a value that cannot be used; the message lists what can."""


class InputError(BayesrankError, ValueError):
    """Data that cannot be read or ranked; the message names the file, row or model."""


class OutputExistsError(BayesrankError, FileExistsError):
    """An output path exists already and was not to be overwritten."""


class ChecksFailedError(BayesrankError):
    """A posterior failed its checks and ``strict=True`` was asked for."""


class MissingExtraError(BayesrankError, ImportError):
    """An optional part is not installed; the message names the extra to install."""


class BayesrankWarning(UserWarning):
    """Something the reader of a ranking should know, though it can be computed."""
