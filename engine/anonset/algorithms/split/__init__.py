"""Split and solve: tables above an algorithm's size limit are split into parts that fit."""
