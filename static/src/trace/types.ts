// Derived from engine/trace/document.py by tools/trace_types.py. Do not edit by hand.

/** Everything about one run. */
export interface Trace {
  readonly code: string;
  readonly outcome: Outcome;
  readonly stdout: string;
  readonly scopes: readonly (Scope)[];
  readonly chapters: readonly (Chapter)[];
  readonly nodes: readonly (Node)[];
  readonly tensors: readonly (Tensor)[];
  readonly steps: readonly (Step)[];
  readonly questions: readonly (Question)[];
  readonly reasons: readonly (Reason)[];
  readonly unsaid: readonly (Unsaid)[];
  readonly folded: number;
  readonly torch: string;
  readonly schema: number;
}

/** How the run ended. Every status has all steps up to the end. */
export interface Outcome {
  readonly status: "error" | "limit" | "ok";
  readonly error: string | null;
  readonly message: string;
  readonly limit: string | null;
  readonly span: Span | null;
  readonly advice: string;
  readonly refused: Refused | null;
}

/** Columns of the snippet: 1-based lines, 0-based character columns, end exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** The call that raised: the innermost layer with what it was made with, or the function, and what it was given. */
export interface Refused {
  readonly module: string;
  readonly settings: readonly (Setting)[];
  readonly given: readonly (Given)[];
  readonly parameters: readonly (number)[];
}

/** What a layer was made with: ``in_features`` is ``128``. */
export interface Setting {
  readonly name: string;
  readonly text: string;
}

/** One argument of the call that raised. */
export interface Given {
  readonly argument: string;
  readonly type: string;
  readonly tensor: number | null;
  readonly text: string;
}

/** A place in the program that encloses steps: the snippet, a function call, a module call, a loop turn. */
export interface Scope {
  readonly kind: "backward" | "function" | "hook" | "loop_turn" | "module" | "program";
  readonly title: string;
  readonly parent: number | null;
  readonly span: Span | null;
}

/** A run of consecutive steps that belongs together, for the scrubber and for jumping. */
export interface Chapter {
  readonly kind: "backward" | "forward" | "optimizer" | "other";
  readonly title: string;
  readonly first: number;
  readonly last: number;
  readonly claims: readonly (Claim)[];
}

/** What a sentence asserts, in a form that a test can check against the trace and against PyTorch.

``engine.trace.claims`` declares every ``says`` and how it is checked.
Example: ``Claim("gradient", tensor=0, number=5)`` says that tensor 0's ``.grad`` is 5 from this step on. */
export interface Claim {
  readonly says: string;
  readonly tensor: number | null;
  readonly node: number | null;
  readonly number: number | string | null;
  readonly text: string | null;
  readonly sentence: number;
}

/** A node of the backward graph. */
export interface Node {
  readonly name: string;
  readonly operator: string;
  readonly symbol: string;
  readonly explains: string;
  readonly edges: readonly (Edge)[];
  readonly saved: readonly (Saved)[];
  readonly outputs: readonly (number)[];
  readonly leaf: number | null;
  readonly sequence_nr: number;
  readonly step: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly formula: Formula | null;
}

/** One entry of ``next_functions``: where the gradient for one argument goes. */
export interface Edge {
  readonly node: number | null;
  readonly input_nr: number;
  readonly argument: string;
  readonly tensor: number | null;
  readonly derivative: string;
}

/** One thing a node keeps for its derivative (``_saved_<name>``). */
export interface Saved {
  readonly name: string;
  readonly tensor: number | null;
  readonly version: number | null;
  readonly text: string;
}

/** A typed expression tree, drawn as MathML by whoever shows it (never markup).

``kind`` says what it is: ``number`` and ``name`` and ``text`` are leaves (``text`` holds the symbol);
``operator`` joins ``parts`` with the symbol in ``text``; ``fraction``, ``power``, ``root``, ``row`` (no joiner),
``group`` (parenthesised), ``call`` (``text`` applied to ``parts``), ``subscript``, ``partial``
(∂ parts[0] / ∂ parts[1]), ``equals`` (a chain ``parts[0] = parts[1] = …``), ``transpose``, ``norm``, ``sum``. */
export interface Formula {
  readonly kind: string;
  readonly text: string;
  readonly parts: readonly (Formula)[];
}

/** A tensor that the snippet made or saw. */
export interface Tensor {
  readonly label: string;
  readonly names: readonly (string)[];
  readonly role: "buffer" | "constant" | "gradient" | "intermediate" | "leaf" | "parameter";
  readonly shape: readonly (number)[];
  readonly dtype: string;
  readonly requires_grad: boolean;
  readonly grad_fn: number | null;
  readonly output_nr: number;
  readonly accumulator: number | null;
  readonly base: number | null;
  readonly gradient_of: number | null;
  readonly value: Value | null;
  readonly step: number;
  readonly span: Span | null;
  readonly scope: number;
}

/** A tensor's elements at one moment, whole when small, thinned when large. */
export interface Value {
  readonly shape: readonly (number)[];
  readonly dtype: string;
  readonly text: string;
  readonly data: readonly (number | string | boolean)[] | null;
  readonly thumbnail: readonly (readonly (number | string)[])[] | null;
  readonly low: number | string | null;
  readonly high: number | string | null;
  readonly nonfinite: number;
  readonly nan: number;
}

/** A statement of the snippet is about to run. */
export interface Line {
  readonly kind: "line";
  readonly times: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A tensor came to be: created by the person, or the result of an operation. */
export interface TensorMade {
  readonly kind: "tensor_made";
  readonly tensor: number;
  readonly value: Value;
  readonly how: "created" | "gradient" | "loaded" | "random" | "result" | "view";
  readonly node: number | null;
  readonly operator: string;
  readonly inputs: readonly (number)[];
  readonly requires_grad: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A backward node was recorded (for AccumulateGrad: a leaf got its door into the graph). */
export interface NodeMade {
  readonly kind: "node_made";
  readonly node: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A node kept something that its derivative will need. */
export interface TensorSaved {
  readonly kind: "tensor_saved";
  readonly node: number;
  readonly name: string;
  readonly tensor: number | null;
  readonly version: number | null;
  readonly value: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A variable or attribute now means another tensor. */
export interface NameBound {
  readonly kind: "name_bound";
  readonly name: string;
  readonly tensor: number;
  readonly previous: number | null;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A variable is gone (``del``) or no longer means a tensor. */
export interface NameUnbound {
  readonly kind: "name_unbound";
  readonly name: string;
  readonly previous: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** Two tensors now share storage. */
export interface ViewMade {
  readonly kind: "view_made";
  readonly tensor: number;
  readonly base: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A tensor was changed in place; its version went up. */
export interface ValueWritten {
  readonly kind: "value_written";
  readonly tensor: number;
  readonly operator: string;
  readonly version_before: number;
  readonly version_after: number;
  readonly value: Value;
  readonly shared_with: readonly (number)[];
  readonly shared_values: readonly (Value)[];
  readonly node: number | null;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``requires_grad_()`` or an assignment to ``.requires_grad`` switched a leaf. */
export interface RequiresGradChanged {
  readonly kind: "requires_grad_changed";
  readonly tensor: number;
  readonly requires_grad: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``retain_grad()``: a result will keep its gradient in the passes to come. */
export interface RetainAsked {
  readonly kind: "retain_asked";
  readonly tensor: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A value left the graph: what follows from it gets no gradient through here. */
export interface GraphLeft {
  readonly kind: "graph_left";
  readonly how: "copied" | "data" | "detach" | "inference_mode" | "integer" | "item" | "no_grad" | "not_differentiable" | "numpy" | "tolist";
  readonly source: number;
  readonly result: number | null;
  readonly operator: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** Gradient mode, inference mode, or a module's training flag was switched. */
export interface ModeChanged {
  readonly kind: "mode_changed";
  readonly mode: "grad" | "inference" | "training";
  readonly enabled: boolean;
  readonly module: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** The snippet wrote to standard output (or standard error). */
export interface Printed {
  readonly kind: "printed";
  readonly output: string;
  readonly stream: "stderr" | "stdout";
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** PyTorch or Python warned. */
export interface Warned {
  readonly kind: "warned";
  readonly category: string;
  readonly message: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``vmap`` runs a function for every example of a batch; the examples follow, each in a scope of its own. */
export interface Mapped {
  readonly kind: "mapped";
  readonly size: number;
  readonly tensors: readonly (number)[];
  readonly dims: readonly (number)[];
  readonly whole: readonly (number)[];
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``breakpoint()`` was reached; here it marks a step and the run goes on. */
export interface Bookmark {
  readonly kind: "bookmark";
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``backward()`` or ``autograd.grad()`` was called. */
export interface BackwardStarted {
  readonly kind: "backward_started";
  readonly call: number;
  readonly function: "backward" | "grad";
  readonly roots: readonly (number)[];
  readonly seeds: readonly (Value)[];
  readonly retain_graph: boolean;
  readonly create_graph: boolean;
  readonly inputs: readonly (number)[] | null;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A node received all its messages and computes its derivatives. */
export interface NodeRan {
  readonly kind: "node_ran";
  readonly call: number;
  readonly node: number;
  readonly order: number;
  readonly gradients: readonly (Value | null)[];
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A node sends a gradient along one edge. */
export interface MessageSent {
  readonly kind: "message_sent";
  readonly call: number;
  readonly node: number;
  readonly slot: number;
  readonly to: number;
  readonly input_nr: number;
  readonly value: Value | null;
  readonly derivative: string;
  readonly substituted: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A gradient was summed back to the shape its input had before broadcasting. */
export interface BroadcastUndone {
  readonly kind: "broadcast_undone";
  readonly call: number;
  readonly node: number;
  readonly slot: number;
  readonly before: readonly (number)[];
  readonly after: readonly (number)[];
  readonly value: Value;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A message arrived where another one already waited; they add up. */
export interface MessagesSummed {
  readonly kind: "messages_summed";
  readonly call: number;
  readonly node: number;
  readonly input_nr: number;
  readonly arrived: number;
  readonly expected: number;
  readonly before: Value;
  readonly incoming: Value;
  readonly value: Value;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A node dropped its saved tensors. */
export interface BuffersFreed {
  readonly kind: "buffers_freed";
  readonly call: number;
  readonly node: number;
  readonly names: readonly (string)[];
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A hook of the person's ran during backward (or around a module's forward). */
export interface HookFired {
  readonly kind: "hook_fired";
  readonly hook: "module_backward" | "module_forward" | "node" | "node_pre" | "post_accumulate" | "saved_pack" | "saved_unpack" | "tensor";
  readonly function: string;
  readonly tensor: number | null;
  readonly node: number | null;
  readonly module: string;
  readonly before: Value | null;
  readonly after: Value | null;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``.grad`` of a leaf (or of a tensor with retain_grad) was filled or added to. */
export interface GradientStored {
  readonly kind: "gradient_stored";
  readonly call: number;
  readonly tensor: number;
  readonly node: number | null;
  readonly old: Value | null;
  readonly incoming: Value;
  readonly new: Value;
  readonly retained: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``autograd.grad`` captured a gradient to return it; no ``.grad`` is touched. */
export interface GradientReturned {
  readonly kind: "gradient_returned";
  readonly call: number;
  readonly tensor: number;
  readonly value: Value | null;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** The pass is over. */
export interface BackwardEnded {
  readonly kind: "backward_ended";
  readonly call: number;
  readonly reached: readonly (number)[];
  readonly missed: readonly (number)[];
  readonly freed: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A checkpoint ran its forward again to get the tensors it had not kept. */
export interface Recomputed {
  readonly kind: "recomputed";
  readonly function: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** In a checkpoint's second run, an operator's result was not computed again: the policy had it kept. */
export interface Recalled {
  readonly kind: "recalled";
  readonly operator: string;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``zero_grad()`` or ``t.grad = None`` cleared gradients. */
export interface GradientsZeroed {
  readonly kind: "gradients_zeroed";
  readonly tensors: readonly (number)[];
  readonly to_none: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``t.grad = g``: the snippet put a gradient there itself. */
export interface GradientSet {
  readonly kind: "gradient_set";
  readonly tensor: number;
  readonly old: Value | null;
  readonly value: Value;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A function of ``torch.nn.utils`` clips gradients; the writes that follow do it. */
export interface GradientsClipped {
  readonly kind: "gradients_clipped";
  readonly function: string;
  readonly tensors: readonly (number)[];
  readonly gradients: readonly (number)[];
  readonly limit: number | string;
  readonly norm_type: number | string | null;
  readonly norm: number | string | null;
  readonly total: number | null;
  readonly factor: number | string | null;
  readonly elements: number;
  readonly beyond: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** ``optimizer.step()`` changed parameters. */
export interface OptimizerStepped {
  readonly kind: "optimizer_stepped";
  readonly optimizer: string;
  readonly settings: Readonly<Record<string, number | string | boolean | null>>;
  readonly changes: readonly (ParameterChange)[];
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** One parameter in one optimizer step. */
export interface ParameterChange {
  readonly tensor: number;
  readonly before: Value;
  readonly after: Value;
  readonly gradient: Value | null;
}

/** ``scheduler.step()`` set the learning rates of an optimizer, perhaps to what they were. */
export interface ScheduleStepped {
  readonly kind: "schedule_stepped";
  readonly scheduler: string;
  readonly optimizer: string;
  readonly count: number;
  readonly begins: boolean;
  readonly settings: Readonly<Record<string, number | string>>;
  readonly changes: readonly (SettingChange)[];
  readonly metric: number | string | null;
  readonly best: number | string | null;
  readonly unimproved: number;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** One setting of one group of an optimizer's parameters, in one step of a schedule. */
export interface SettingChange {
  readonly name: string;
  readonly tensors: readonly (number)[];
  readonly before: number | string;
  readonly after: number | string;
}

/** The run went on here while its steps were not kept; what changed meanwhile is told at once. */
export interface StepsLeftOut {
  readonly kind: "steps_left_out";
  readonly statements: number;
  readonly passes: number;
  readonly output: string;
  readonly standings: readonly (Standing)[];
  readonly grad_enabled: boolean;
  readonly inference: boolean;
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** How a tensor stands after steps that were not kept. */
export interface Standing {
  readonly tensor: number;
  readonly value: Value;
  readonly version: number;
  readonly gradient: Value | null;
}

/** The last step of every trace. */
export interface Ended {
  readonly kind: "ended";
  readonly status: "error" | "limit" | "ok";
  readonly span: Span | null;
  readonly scope: number;
  readonly text: string;
  readonly detail: readonly (string)[];
  readonly formula: Formula | null;
  readonly claims: readonly (Claim)[];
  readonly warning: string | null;
}

/** A quick check generated from this trace. */
export interface Question {
  readonly kind: string;
  readonly prompt: string;
  readonly choices: readonly (Choice)[];
  readonly step: number;
}

/** One answer of a question. */
export interface Choice {
  readonly text: string;
  readonly right: boolean;
  readonly why: string;
  readonly step: number | null;
}

/** The answer to "why?" about one tensor, or about the error that ended the run, over a range of steps. */
export interface Reason {
  readonly tensor: number | null;
  readonly about: "error" | "grad" | "grad_fn" | "value";
  readonly cause: string;
  readonly first: number;
  readonly last: number;
  readonly text: string;
  readonly span: Span | null;
  readonly fix: string;
  readonly step: number | null;
  readonly warns: boolean;
}

/** Something that a reader of the finished trace failed to say: a fault of Backplay's, which costs that part only. */
export interface Unsaid {
  readonly part: "chapters" | "labels" | "narration" | "questions" | "reasons" | "warnings";
  readonly about: string;
  readonly step: number | null;
  readonly error: string;
}

/** Any step of a trace, told apart by `kind`. */
export type Step =
  | Line
  | TensorMade
  | NodeMade
  | TensorSaved
  | NameBound
  | NameUnbound
  | ViewMade
  | ValueWritten
  | RequiresGradChanged
  | RetainAsked
  | GraphLeft
  | ModeChanged
  | Printed
  | Warned
  | Mapped
  | Bookmark
  | BackwardStarted
  | NodeRan
  | MessageSent
  | BroadcastUndone
  | MessagesSummed
  | BuffersFreed
  | HookFired
  | GradientStored
  | GradientReturned
  | BackwardEnded
  | Recomputed
  | Recalled
  | GradientsZeroed
  | GradientSet
  | GradientsClipped
  | OptimizerStepped
  | ScheduleStepped
  | StepsLeftOut
  | Ended;
