"""What a snippet finds around it: `torch` and other modules, standard streams, files, and an engine in its first state."""
