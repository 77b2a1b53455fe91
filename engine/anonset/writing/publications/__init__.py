"""Write publications. Each kind of publication has a module."""
