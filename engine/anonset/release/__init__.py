"""A publication on its way out and back: layout, symbols, files, attestation, staging."""
