"""Algorithms that divide records or items into partitions and generalize each one separately."""
