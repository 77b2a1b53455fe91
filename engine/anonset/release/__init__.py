"""Publishing, and reading publications back: layout, symbols, files, attestation, staging."""
