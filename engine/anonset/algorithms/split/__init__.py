"""Split and solve: tables that are too large for an algorithm are split into parts that fit."""
