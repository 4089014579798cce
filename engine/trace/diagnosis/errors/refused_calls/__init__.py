"""Why PyTorch refused a call: shapes, types and objects that do not fit, told by what the call was given and where that was made."""
