"""Build the files of the catalogue from the files that their owners publish.

``python -m benchmarks.originals DOWNLOADS DATA`` builds all files whose originals are in the folder DOWNLOADS, and
compares each with the digest in the catalogue. `recipes` lists the originals of each file and their source.
"""
