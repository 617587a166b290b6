"""File names of pages from names that may hold anything."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

__all__ = ["slugs"]

_LONGEST = 60
# What Windows keeps for devices, and what a web server shows for a folder.
_RESERVED = re.compile(r"con|prn|aux|nul|index|(com|lpt)\d")


def slugs(names: Sequence[str]) -> dict[str, str]:
    """Return a file name without its ending for each name: a-z, 0-9 and "-", no two alike.

    A name keeps its own whatever other names there are, unless another one would have the same:
    then each of them carries a part of its hash.
    """
    plain = {name: _plain(name) for name in names}
    times = Counter(plain.values())
    return {
        name: f"{slug}-{_hash(name)}" if times[slug] > 1 or not slug else slug
        for name, slug in plain.items()
    }


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_LONGEST].strip("-")
    return f"{slug}-" * bool(slug) + _hash(name) if _needs_hash(name, slug) else slug


def _needs_hash(name: str, slug: str) -> bool:
    # What looks like a slug with a hash gets a hash too, so that it cannot meet one.
    return (
        not slug
        or _RESERVED.fullmatch(slug) is not None
        or len(name) > _LONGEST
        or re.search(r"(^|-)[0-9a-f]{10}$", slug) is not None
    )


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
