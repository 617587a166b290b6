"""Every example runs, draws its picture, and the README shows the one it draws."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# These compile a model.
SLOW = {"arena_top"}
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
CASES = [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in NAMES]


def picture(path):
    """Return the pixels of a picture, opaque, of three colours."""
    return plt.imread(path)[:, :, :3]


def assert_drawn(path):
    pixels = picture(path)
    background = pixels[0, 0]
    drawn = np.abs(pixels - background).max(axis=2) > 0.1
    assert 0.01 < drawn.mean() < 0.9, f"{path.name} is blank, or nothing but ink"
    assert drawn.any(axis=1).mean() > 0.5, f"{path.name} has little on it"


@pytest.mark.parametrize("name", CASES)
def test_an_example_draws_its_picture(name, tmp_path, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](tmp_path)
    plt.close("all")
    assert capsys.readouterr().out.count("\n") > 3
    assert_drawn(tmp_path / f"{name}.png")
    committed = EXAMPLES / "pictures" / f"{name}.png"
    sizes = [picture(path).shape for path in (committed, tmp_path / f"{name}.png")]
    # Fonts differ a little between machines; another plot would not.
    np.testing.assert_allclose(*sizes, rtol=0.1)


def test_the_readme_shows_every_picture_and_no_other():
    text = (EXAMPLES / "README.md").read_text("utf-8")
    shown = re.findall(r"!\[[^\]]{20,}\]\(pictures/(\w+)\.png\)", text)
    assert sorted(shown) == NAMES
    for name in NAMES:
        path = EXAMPLES / "pictures" / f"{name}.png"
        assert path.stat().st_size < 150_000
        assert_drawn(path)
        assert f"`{name}.py`" in text


def test_a_blank_picture_is_noticed(tmp_path):
    figure = plt.figure()
    figure.savefig(tmp_path / "blank.png")
    plt.close(figure)
    with pytest.raises(AssertionError, match="blank"):
        assert_drawn(tmp_path / "blank.png")
