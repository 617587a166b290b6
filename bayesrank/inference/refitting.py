"""A model compiled once, for other counts: resampled ones, prefixes of a log, simulated ones."""

import sys
from dataclasses import dataclass, replace
from typing import Any

import pymc as pm
import xarray as xr
from numpy.typing import ArrayLike

from bayesrank._record import NOT_STATED
from bayesrank._validate import validate_count
from bayesrank.exceptions import ArgumentError
from bayesrank.inference.flat import FlatModel, flatten
from bayesrank.inference.flat_nuts import sample_flat
from bayesrank.inference.laplace import sample_laplace
from bayesrank.inference.results import finished
from bayesrank.inference.sampling import require_score
from bayesrank.inference.seeds import Seeds
from bayesrank.models._attach import Attachment, attached, is_as_built
from bayesrank.typing import RandomSeed

__all__ = ["CompiledModel", "compiled"]


def compiled(model: pm.Model) -> "CompiledModel":
    """Compile a model once, to fit it to any data of the same shape.

    Parameters
    ----------
    model : pymc.Model
        From `bayesrank.models`, or any model with a variable ``score`` of dims ("system",); with
        continuous parameters only.

    Returns
    -------
    CompiledModel

    Raises
    ------
    ArgumentError
        For a model without ``score``, with discrete parameters, or which integrates some out.

    Examples
    --------
    >>> from bayesrank import Comparisons, inference, models
    >>> comparisons = Comparisons.from_counts(["a", "b"], ["b", "c"], [6, 4], [2, 3])
    >>> model = inference.compiled(models.bradley_terry(comparisons))
    >>> fewer = model.with_data(outcomes_observed=[[3, 1], [2, 2]])
    >>> int(fewer.data["outcomes_observed"].sum())
    8
    """
    require_score(model)
    attachment = attached(model)
    if attachment is not None and attachment.completion is not None:
        msg = f"a model of the family {attachment.family} cannot be compiled for other data."
        raise ArgumentError(msg)
    return CompiledModel(flatten(model), as_built=is_as_built(model))


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A compiled model with the data that it is fitted to.

    Attributes
    ----------
    flat : FlatModel
        Its log-density and variables.
    as_built : bool
        Whether the data are those that the model was built on.
    """

    flat: FlatModel
    as_built: bool

    @property
    def data(self) -> dict[str, Any]:
        """The data by name; copies, so that they can be changed and given back.

        Returns
        -------
        dict of str to ndarray
        """
        return {name: array.copy() for name, array in self.flat.data.items()}

    def with_data(self, **data: ArrayLike) -> "CompiledModel":
        """Return the same model for other data; nothing is compiled.

        Parameters
        ----------
        **data : array_like
            By the names of the model's `pymc.Data`, such as ``outcomes_observed``; of the same
            shapes. Fractions go where the model was built on weights.

        Returns
        -------
        CompiledModel
            Posteriors of it say that their data are not those that the model describes.

        Raises
        ------
        ArgumentError
            For a name that is not there, another shape, or fractions where counts are whole.
        """
        return replace(self, flat=self.flat.with_data(data), as_built=False)

    def sample(
        self,
        *,
        draws: int = 1000,
        tune: int | None = None,
        chains: int = 4,
        random_seed: RandomSeed = None,
        progressbar: bool = True,
        whiten: bool | None = None,
        strict: bool = False,
        keep_probabilities: bool = False,
        **settings: Any,
    ) -> xr.DataTree:
        """Return a posterior by NUTS, as `bayesrank.sample` does.

        Parameters
        ----------
        draws, tune, chains, random_seed, progressbar, whiten, strict, keep_probabilities
            As in `bayesrank.sample`.
        **settings
            ``cores``, ``target_accept``, and ``nuts``, a dict of settings of nutpie.

        Returns
        -------
        DataTree
        """
        attachment = attached(self.flat.model)
        draws, chains = validate_count(draws, name="draws"), validate_count(chains, name="chains")
        tune = None if tune is None else validate_count(tune, name="tune", minimum=0)
        seeds = Seeds.of(random_seed)
        given = {**({} if attachment is None else attachment.nuts), **settings}
        if whiten is not None:
            given["whiten"] = whiten
        tree, used = sample_flat(
            self.flat,
            given,
            draws=draws,
            tune=tune,
            chains=chains,
            seeds=seeds,
            progressbar=progressbar and sys.stderr.isatty(),
            without=_unwanted(attachment, keep_probabilities=keep_probabilities),
        )
        kept = {"strict": strict, "keep_probabilities": keep_probabilities}
        return self._finished(tree, "nuts", used, seeds, **kept)

    def laplace(
        self,
        *,
        draws: int = 1000,
        chains: int = 4,
        random_seed: RandomSeed = None,
        strict: bool = False,
        keep_probabilities: bool = False,
    ) -> xr.DataTree:
        """Return draws of a normal approximation at the mode, as `bayesrank.sample` does.

        Parameters
        ----------
        draws, chains, random_seed, strict, keep_probabilities
            As in `bayesrank.sample`.

        Returns
        -------
        DataTree
        """
        attachment = attached(self.flat.model)
        draws, chains = validate_count(draws, name="draws"), validate_count(chains, name="chains")
        seeds = Seeds.of(random_seed)
        tree, verdict = sample_laplace(
            self.flat,
            draws=draws,
            chains=chains,
            seeds=seeds,
            without=_unwanted(attachment, keep_probabilities=keep_probabilities),
        )
        used = {"draws": draws, "chains": chains}
        kept = {"strict": strict, "keep_probabilities": keep_probabilities}
        return self._finished(tree, "laplace", used, seeds, verdict=verdict, **kept)

    def _finished(
        self, tree: xr.DataTree, method: str, settings: dict[str, Any], seeds: Seeds, **rest: Any
    ) -> xr.DataTree:
        attachment = attached(self.flat.model)
        about = NOT_STATED if attachment is None else attachment.populations[0]
        return finished(
            tree,
            attachment,
            about,
            method=method,
            settings=settings,
            seeds=seeds,
            as_built=self.as_built,
            **rest,
        )


def _unwanted(attachment: Attachment | None, *, keep_probabilities: bool) -> tuple[str, ...]:
    return () if attachment is None else attachment.unwanted(keep_probabilities=keep_probabilities)
