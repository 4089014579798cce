"""Where snippets run: limits, kernel layers, the zygote with its spare child, and the host that talks to it.

Read in this order: `limits` and `confinement` (what a run may do, with reasons, and who sees to it), `zygote` and `child`
(the processes), `journal` and `partial` (why a killed run still plays), `link`, `worker` and `host` (the other side),
`check` (what crosses the boundary), `selftest`.

The layers are the kernel's own, since language-level sandboxes keep being bypassed. One attack stays open by design: a
run shares its process with the recorder and can forge its own trace, which deceives only its author.
"""
