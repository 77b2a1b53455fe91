"""``python -m anonset``: the command line."""

from anonset.cli.main import run

if __name__ == "__main__":
    run()
