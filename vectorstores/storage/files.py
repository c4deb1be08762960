"""Name the files and fields of a stored collection; the build writes them, the index reads them."""

VECTORS_FILE = "vectors.npy"
FIELDS = ("body", "heading", "name")
STARTS = "starts"
