"""Labels of the values of an attribute, in memory and in files."""
