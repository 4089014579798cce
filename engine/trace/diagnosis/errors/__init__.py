"""What the error that ended a run comes from: `explained` looks it up by PyTorch's key phrase."""
