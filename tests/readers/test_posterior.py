"""Posteriors from files, whoever wrote them."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from bayesrank import read_posterior
from bayesrank.exceptions import InputError
from bayesrank.readers.posterior import detect


def score(**changes) -> xr.DataArray:
    options = {
        "data": np.arange(12.0).reshape(2, 2, 3),
        "dims": ("chain", "draw", "system"),
        "coords": {"system": ["a", "b", "<c>"]},
    }
    return xr.DataArray(**{**options, **changes})


def save(path: Path, group: str = "posterior", **variables: xr.DataArray) -> Path:
    tree = xr.DataTree.from_dict({group: xr.Dataset(variables)})
    tree[group].attrs["bayesrank"] = '{"schema_version": 1}'
    tree.to_netcdf(path, engine="h5netcdf")
    return path


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    path = save(tmp_path / "fit.nc", score=score(), other=xr.DataArray(1.0))
    found = read_posterior(path)
    path.unlink()
    np.testing.assert_array_equal(found["posterior"]["score"], score())
    assert list(found["posterior"]["score"]["system"].values) == ["a", "b", "<c>"]
    assert found["posterior"].attrs["bayesrank"] == '{"schema_version": 1}'


def test_file_can_be_overwritten_after_reading(tmp_path: Path) -> None:
    path = save(tmp_path / "fit.nc", score=score())
    read_posterior(path)
    save(path, score=score() + 1)
    assert read_posterior(str(path))["posterior"]["score"].values.min() == 1


@pytest.mark.parametrize(
    ("group", "variables", "words"),
    [
        ("prior", {"score": score()}, "no group 'posterior'; the groups are 'prior'"),
        ("posterior", {"theta": score()}, "no variable 'score'; there are 'theta'"),
        ("posterior", {"score": score().isel(chain=0, drop=True)}, "score has dims"),
        ("posterior", {"score": score().drop_vars("system")}, "no names of models"),
        ("posterior", {"score": score() * np.nan}, "no finite numbers"),
    ],
)
def test_bad_posteriors(tmp_path: Path, group, variables, words) -> None:
    path = save(tmp_path / "fit.nc", group, **variables)
    with pytest.raises(InputError, match=f"fit.nc: .*{words}"):
        read_posterior(path)


@pytest.mark.parametrize("content", [b"", b"text", b"\x89HDF\r\n\x1a\n cut off", b"CDF\x01"])
def test_files_that_are_none(tmp_path: Path, content) -> None:
    path = tmp_path / "fit.nc"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"fit.nc cannot be read as a netCDF posterior") as caught:
        read_posterior(path)
    assert str(caught.value).isprintable()


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not there"):
        read_posterior(tmp_path / "fit.nc")
    with pytest.raises(InputError, match=r"is a folder"):
        read_posterior(tmp_path)


def test_detect(tmp_path: Path) -> None:
    assert detect(save(tmp_path / "fit.nc", score=score())) == "posterior"
    assert detect(save(tmp_path / "fit.h5", score=score())) == "posterior"
    for name in ("log.csv", "log.parquet", "log.jsonl.gz", "log.npz"):
        (tmp_path / name).write_text("x")
        assert detect(tmp_path / name) == "log"
    (tmp_path / "log.txt").write_text("x")
    with pytest.raises(InputError, match=r"no known ending"):
        detect(tmp_path / "log.txt")
