"""The cells of a study: kept, gone on with, refused, and the same however they are computed."""

import json
from functools import partial

import numpy as np
import pytest

from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.studies._grid import Grid, study_seed

CELLS = {f"cell-{k}": k for k in range(4)}
CONFIG = {"study": "squares", "seed": 1}


def square(offset, k):
    return {"value": np.array([k**2 + offset, k]), "word": np.str_(f"n{k}")}


TASK = partial(square, 0)


class StoppedError(Exception):
    pass


def stopped_after(count):
    def tell(name, number, total):
        if number == count:
            raise StoppedError

    return tell


def recorded():
    seen = []
    return seen, lambda name, number, total: seen.append((name, number, total))


def values(found):
    return {name: arrays["value"].tolist() for name, arrays in found.items()}


def test_every_cell_is_computed_in_order():
    seen, tell = recorded()
    found = Grid(progress=tell).run(TASK, CELLS, config=CONFIG)
    assert list(found) == list(CELLS)
    assert values(found) == {name: [k**2, k] for name, k in CELLS.items()}
    assert found["cell-2"]["word"] == "n2"
    assert seen == [(name, i + 1, 4) for i, name in enumerate(CELLS)]


def test_a_killed_study_goes_on_where_it_stopped(tmp_path):
    folder = tmp_path / "study"
    with pytest.raises(StoppedError):
        Grid(folder=folder, progress=stopped_after(2)).run(TASK, CELLS, config=CONFIG)
    assert sorted(p.name for p in folder.glob("*.npz")) == ["cell-0.npz", "cell-1.npz"]
    seen, tell = recorded()
    found = Grid(folder=folder, progress=tell).run(TASK, CELLS, config=CONFIG)
    assert [name for name, *_ in seen] == ["cell-2", "cell-3"]
    assert [number for _, number, _ in seen] == [3, 4]
    assert values(found) == values(Grid().run(TASK, CELLS, config=CONFIG))
    seen.clear()
    again = Grid(folder=folder, progress=tell).run(TASK, CELLS, config=CONFIG)
    assert not seen
    assert values(again) == values(found)


def test_what_is_kept_is_read_and_not_made_again(tmp_path):
    Grid(folder=tmp_path / "s").run(TASK, CELLS, config=CONFIG)
    other = Grid(folder=tmp_path / "s").run(partial(square, 100), CELLS, config=CONFIG)
    assert values(other)["cell-3"] == [9, 3]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**CONFIG, "seed": 2}, "seed = '1', not '2'"),
        ({**CONFIG, "study": "cubes"}, "study = "),
        ({**CONFIG, "more": [1]}, "more = 'null'"),
    ],
)
def test_a_folder_of_another_configuration_is_refused(tmp_path, config, message):
    folder = tmp_path / "s"
    Grid(folder=folder).run(TASK, CELLS, config=CONFIG)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(ArgumentError, match=message):
        Grid(folder=folder).run(TASK, CELLS, config=config)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ArgumentError, match="no study; name a new folder"):
        Grid(folder=tmp_path).run(TASK, CELLS, config=CONFIG)
    with pytest.raises(ArgumentError, match="name another folder"):
        Grid(folder=tmp_path / "notes.txt" / "s").run(TASK, CELLS, config=CONFIG)


def test_a_broken_description_is_refused(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "study.json").write_text("{")
    with pytest.raises(InputError, match="does not describe a study"):
        Grid(folder=folder).run(TASK, CELLS, config=CONFIG)
    (folder / "study.json").write_text("[]")
    with pytest.raises(ArgumentError, match="schema_version"):
        Grid(folder=folder).run(TASK, CELLS, config=CONFIG)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no zip at all"])
def test_a_broken_cell_is_named(tmp_path, content):
    folder = tmp_path / "s"
    Grid(folder=folder).run(TASK, CELLS, config=CONFIG)
    (folder / "cell-1.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"cell-1\.npz' is not a cell of a study; delete it"):
        Grid(folder=folder).run(TASK, CELLS, config=CONFIG)
    (folder / "cell-1.npz").unlink()
    assert values(Grid(folder=folder).run(TASK, CELLS, config=CONFIG))["cell-1"] == [1, 1]


def test_pickles_are_neither_written_nor_read(tmp_path):
    folder = tmp_path / "s"
    with pytest.raises(ValueError, match="allow_pickle"):
        Grid(folder=folder).run(
            lambda _: {"value": np.array([object()])}, {"cell-0": 0}, config=CONFIG
        )
    assert not list(folder.glob("*.npz"))
    assert [p.name for p in folder.iterdir()] == ["study.json"], "no temporary file is left"
    np.savez(folder / "cell-0.npz", value=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="not a cell of a study"):
        Grid(folder=folder).run(TASK, {"cell-0": 0}, config=CONFIG)


def test_the_seed_of_a_study_that_goes_on_is_the_one_it_began_with(tmp_path):
    folder = tmp_path / "s"
    assert study_seed(7, folder=folder) == 7
    assert isinstance(study_seed(None, folder=folder), int)
    assert study_seed(np.random.default_rng(3)) == study_seed(np.random.default_rng(3))
    Grid(folder=folder).run(TASK, CELLS, config=CONFIG)
    assert study_seed(None, folder=folder) == 1
    assert study_seed(5, folder=folder) == 5
    described = json.loads((folder / "study.json").read_text())
    assert described["seed"] == 1


def test_wrong_numbers_of_jobs_are_refused():
    for jobs in (0, -2, 1.5, True):
        with pytest.raises(ArgumentError, match="n_jobs"):
            Grid(n_jobs=jobs)


@pytest.mark.slow  # two processes that load everything first
def test_two_processes_give_the_same(tmp_path):
    pytest.importorskip("joblib")
    seen, tell = recorded()
    grid = Grid(n_jobs=2, folder=tmp_path / "s", progress=tell)
    found = grid.run(TASK, CELLS, config=CONFIG)
    assert list(found) == list(CELLS)
    assert values(found) == values(Grid().run(TASK, CELLS, config=CONFIG))
    assert sorted(number for _, number, _ in seen) == [1, 2, 3, 4]
    assert len(list((tmp_path / "s").glob("*.npz"))) == 4


@pytest.mark.filterwarnings("ignore")  # the cluster's own, of ports, sockets and shutdown
def test_a_dask_cluster_of_the_user_serves_unchanged(tmp_path):
    distributed = pytest.importorskip("distributed")
    joblib = pytest.importorskip("joblib")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        found = Grid(n_jobs=2, folder=tmp_path / "s").run(TASK, CELLS, config=CONFIG)
    assert values(found) == values(Grid().run(TASK, CELLS, config=CONFIG))


def test_a_file_system_that_is_full_says_so(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        msg = "No space left on device"
        raise OSError(28, msg)

    monkeypatch.setattr("bayesrank.studies._grid.np.savez", full)
    with pytest.raises(OSError, match="No space left"):
        Grid(folder=tmp_path / "s").run(TASK, CELLS, config=CONFIG)
    assert not list((tmp_path / "s").glob("*.npz"))
