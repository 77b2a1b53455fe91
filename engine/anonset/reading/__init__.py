"""Read data and hierarchies into tables. Only this package and `anonset.writing` import pyarrow."""
