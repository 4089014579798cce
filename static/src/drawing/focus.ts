import type { PlacedCard, Scene } from "../layout/scene";
import type { Step, Trace } from "../trace/types";

/** What one step is about: the cards and the thread to look at. */
export interface Focus {
  readonly cards: ReadonlySet<number>;
  readonly thread: number;
}

export function focusOf(trace: Trace, scene: Scene, step: number): Focus {
  const event = trace.steps[step];
  const cards = new Set<number>();
  if (event) for (const card of cardsOf(event, scene, step)) if (card >= 0) cards.add(card);
  const thread =
    event?.kind === "message_sent"
      ? scene.threads.findIndex((thread) =>
          [thread, ...thread.strands].some((each) => each.node === event.node && each.slot === event.slot),
        )
      : -1;
  const receiver = scene.threads[thread]?.from;
  return { cards: receiver === undefined ? cards : new Set([receiver]), thread };
}

/** The focus of this step or of the nearest one before it that is about anything on the stage. */
export function lastFocus(trace: Trace, scene: Scene, step: number): Focus {
  for (let at = step; at > 0; at--) {
    const focus = focusOf(trace, scene, at);
    if (focus.cards.size > 0) return focus;
  }
  return focusOf(trace, scene, 0);
}

function cardsOf(event: Step, scene: Scene, step: number): number[] {
  // What is written in place gets a card for each node that it comes to belong to, and a leaf one in each turn that uses
  // it: the one of that time is meant, never one that is not there yet.
  const standing = (last: number, same: (card: PlacedCard) => boolean): number =>
    (scene.cards[last]?.step ?? 0) <= step
      ? last
      : scene.cards.findLastIndex((card) => same(card) && card.step <= step);
  const node = (id: number): number => standing(scene.cardOfNode[id] ?? -1, (card) => card.node === id);
  const tensor = (id: number): number => standing(scene.cardOfTensor[id] ?? -1, (card) => card.tensor === id);
  switch (event.kind) {
    case "node_made":
    case "tensor_saved":
    case "node_ran":
    case "messages_summed":
    case "buffers_freed":
    case "broadcast_undone":
      return [node(event.node)];
    case "message_sent":
      return [node(event.to)];
    case "graph_left":
      return [event.result === null ? tensor(event.source) : tensor(event.result)];
    case "backward_started":
      return event.roots.map(tensor);
    case "backward_ended":
      return event.reached.map(tensor);
    case "optimizer_stepped":
      return event.changes.map((change) => tensor(change.tensor));
    case "steps_left_out":
      return event.standings.map((standing) => tensor(standing.tensor));
    case "hook_fired":
      return [event.node === null ? -1 : node(event.node), event.tensor === null ? -1 : tensor(event.tensor)];
    default:
      if ("tensors" in event) return event.tensors.map(tensor);
      return "tensor" in event ? [tensor(event.tensor)] : [];
  }
}
