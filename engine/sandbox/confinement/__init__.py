"""How a run is confined, by the kernel's own means: `layers` puts them on in order.

`policy` says which system calls are allowed and why; `bpf` makes a program of it and `seccomp` installs that. `namespaces`,
`landlock`, `privileges` and `rlimits` are the other layers; `kernel` and `syscalls` reach what Python has no function for.
"""
