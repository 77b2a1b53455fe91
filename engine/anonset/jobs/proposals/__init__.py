"""What `inspect` shows and proposes about the columns of a file."""
