"""From a run to a document: events, the recorder that listens, and the readers that explain."""
