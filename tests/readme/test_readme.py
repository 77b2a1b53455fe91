"""What the README shows is what its commands print."""

from readme.console import README, comparable, renewed


def test_the_commands_print_what_the_readme_shows():
    text = README.read_text()
    assert "```console" in text
    assert comparable(renewed(text)) == comparable(text)
