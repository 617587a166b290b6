import os
import stat
from pathlib import Path

import pytest

from bayesrank._files import check_output, write_atomically, write_text
from bayesrank.exceptions import ArgumentError, OutputExistsError


def left_over(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".bayesrank")]


def test_a_new_file_holds_the_text_exactly(tmp_path):
    path = tmp_path / "out.txt"
    write_text(path, "a\r\nb\né", overwrite=False)
    assert path.read_bytes() == b"a\r\nb\n\xc3\xa9"
    assert left_over(tmp_path) == []


def test_an_existing_file_is_kept(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("precious")
    with pytest.raises(OutputExistsError, match=r"out\.txt.*--overwrite"):
        write_text(path, "new", overwrite=False)
    assert path.read_text() == "precious"


def test_overwriting_keeps_the_permissions(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new", overwrite=True)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failure_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("precious")

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_atomically(path, fail, overwrite=True)
    assert path.read_text() == "precious"
    assert left_over(tmp_path) == []


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    path = tmp_path / "out.txt"

    def slow(temporary: Path) -> None:
        temporary.write_text("mine")
        path.write_text("theirs")

    with pytest.raises(OutputExistsError):
        write_atomically(path, slow, overwrite=False)
    assert path.read_text() == "theirs"
    assert left_over(tmp_path) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ArgumentError, match=r"no folder .*nowhere"):
        check_output(tmp_path / "nowhere" / "out.txt")


def test_a_folder_is_no_output(tmp_path):
    with pytest.raises(ArgumentError, match="it is a folder"):
        check_output(tmp_path, overwrite=True)


def test_a_file_used_as_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="cannot be written"):
        check_output(tmp_path / "file" / "out.txt")


@pytest.mark.skipif(not Path(os.devnull).exists(), reason="no device files here")
def test_a_device_is_never_replaced():
    with pytest.raises(ArgumentError, match="not an ordinary file"):
        check_output(Path(os.devnull), overwrite=True)


def test_an_input_is_never_replaced(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("data")
    (tmp_path / "link.csv").symlink_to(path)
    for name in ("log.csv", "link.csv"):
        with pytest.raises(ArgumentError, match="is read here"):
            check_output(tmp_path / name, overwrite=True, inputs=[path])


def test_a_link_is_followed(tmp_path):
    path = tmp_path / "real.txt"
    path.write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    write_text(link, "new", overwrite=True)
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_the_longest_name_a_folder_allows(tmp_path):
    path = tmp_path / ("n" * 255)
    write_text(path, "text", overwrite=False)
    assert path.read_text() == "text"
    with pytest.raises(ArgumentError, match="cannot be written"):
        check_output(tmp_path / ("n" * 256))
