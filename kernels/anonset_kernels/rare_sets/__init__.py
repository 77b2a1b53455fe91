"""Which sets of nodes fewer than k records contain."""
