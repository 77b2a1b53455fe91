"""Split and solve: data that no algorithm can take at once, cut into parts that one can."""
