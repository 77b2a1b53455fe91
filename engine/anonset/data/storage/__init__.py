"""Where arrays are stored, and the workers that compute on them."""
