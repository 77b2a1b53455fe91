"""Read or build hierarchies from files, objects and frequencies."""
