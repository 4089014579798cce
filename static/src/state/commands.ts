/** Ways to move in time. */
export type Move =
  | "first"
  | "last"
  | "next"
  | "back"
  | "line-next"
  | "line-back"
  | "scope-next"
  | "backward-next"
  | "backward-back"
  | "chapter-next"
  | "chapter-back";

/** What a person can ask of time. */
export type TimeAction = Move | "toggle" | "slower" | "faster" | "grain" | "predict" | "stop-next";

/** What a person can ask of the view. */
export type ViewAction = "present" | "fit" | "follow" | "closer" | "farther" | "left" | "right" | "up" | "down";

/** Everything that a person can ask for by a key. */
export type Command =
  | TimeAction
  | ViewAction
  | "keys"
  | "compare"
  | "change-next"
  | "change-back"
  | "stop-here"
  | "inspect"
  | "find"
  | "edit";
