"""Evidence about columns: the words of their headers."""
