"""Sets of hierarchy nodes that fewer than k records contain: counting and listing them."""
