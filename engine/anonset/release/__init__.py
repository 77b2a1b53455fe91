"""Writing, verification and reading of publications: layout, symbols, files, attestation, staging."""
