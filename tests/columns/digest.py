"""Print the SHA-256 of the layouts and folders that only measure. `corpus/digest.txt` records it with the figures."""

import hashlib
import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
MEASURING = (CORPUS / "measure", CORPUS / "folders" / "measure")


def digest_of_measuring() -> str:
    """Return the SHA-256 of the names and contents of the measuring files."""
    result = hashlib.sha256()
    for path in (path for folder in MEASURING for path in sorted(folder.glob("*.toml"))):
        result.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return result.hexdigest()


if __name__ == "__main__":
    sys.stdout.write(digest_of_measuring() + "\n")
