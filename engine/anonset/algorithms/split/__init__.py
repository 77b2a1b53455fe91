"""Split tables that exceed the size limit of an algorithm into smaller parts."""
