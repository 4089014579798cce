"""From a run to a document: events, the recorder that listens, and the readers that explain.

Recording, in the order of a run: `play` parses (`instrument`, `targets`), executes in an `environment` with the drop-in
`torch`, follows the program (`follower`, `unkept`, `scopes`, `names`, `spans`) and the engine (`recording`) onto the `tape`,
with rows for tensors and nodes from the `registry`, which writes numbers with `values` and derivatives with `derivatives`.
How it ended is an `outcome`. `assemble` puts the batches of a killed run together.

Explaining, from the finished trace alone: `labels`, `diagnosis`, `narration`, `quiz` (in this order: `explain`), all of
them over the replay in `state`. `claims` checks every sentence.

The contract with service and player is `document`, `events` and `parts`.
"""
