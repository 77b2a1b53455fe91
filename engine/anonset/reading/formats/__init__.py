"""Input formats: text, Parquet, workbooks, objects in memory."""
