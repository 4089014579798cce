import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Flag } from "../state/flags";

/** This file is loaded only when a person edits: the editor weighs more than the rest of the player. */

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly root: ShadowRoot;
  readonly code: string;
  readonly line: number | null;
  /** What the last run of this very code had to say. */
  readonly flags: readonly Flag[];
  onChange(code: string): void;
  onRun(): void;
  onLeave(): void;
}

const look = EditorView.theme({
  // Its lines and numbers stand where the reading view has them, with the same room for how often a line ran between them:
  // nothing moves when a person begins to type.
  "&": { maxHeight: "inherit", fontSize: "var(--size-small)", backgroundColor: "var(--sunken)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--code)", lineHeight: "1.7rem", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "var(--gap-2) 0" },
  ".cm-line": { padding: "0 var(--gap-4) 0 0" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-soft)", border: "none" },
  ".cm-gutter-lint": { width: "1.1rem" },
  // The signs of the reading view, where it has them, in place of the editor's own.
  ".cm-lint-marker": {
    width: "auto",
    height: "auto",
    font: "600 var(--size-caption)/1.7rem var(--code)",
    textAlign: "right",
  },
  ".cm-lint-marker-error": { content: "normal", color: "var(--error)" },
  ".cm-lint-marker-error::before": { content: "'✕'" },
  ".cm-lint-marker-warning": { content: "normal", color: "var(--now)" },
  ".cm-lint-marker-warning::before": { content: "'!'" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--error)",
    textUnderlineOffset: "4px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--now)",
    textUnderlineOffset: "4px",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "3.9rem", padding: "0 2.6rem 0 0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--wire) 12%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--leaf) 25%, transparent) !important",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--now-field)", outline: "1px solid var(--now)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--wire)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], fontWeight: "600" },
  { tag: tags.number, color: "var(--leaf)" },
  { tag: tags.string, color: "var(--sum)" },
  { tag: tags.comment, color: "var(--ink-soft)", fontStyle: "italic" },
]);

/**
 * Typing over a selection: left to itself, the browser would keep the selected text's look by a style attribute, which
 * the page's content security policy refuses.
 */
const replaceWithoutStyles = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || event.isComposing || view.state.selection.main.empty)
      return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type" });
    event.preventDefault();
    return true;
  },
});

/** A key handler that always claims its key. */
const handled = (action: () => void) => (): boolean => {
  action();
  return true;
};

export function openEditor(options: EditorOptions): EditorView {
  const view = new EditorView({
    parent: options.parent,
    root: options.root,
    state: EditorState.create({
      doc: options.code,
      extensions: [
        lintGutter(),
        lineNumbers(),
        history(),
        drawSelection(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        python(),
        syntaxHighlighting(colours),
        look,
        replaceWithoutStyles,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Code editor; Escape leaves it", tabindex: "0" }),
        keymap.of([
          { key: "Mod-Enter", run: handled(options.onRun) },
          { key: "Escape", run: handled(options.onLeave) },
          indentWithTab,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => update.docChanged && options.onChange(update.state.doc.toString())),
      ],
    }),
  });
  const line = options.line === null ? null : view.state.doc.line(Math.min(view.state.doc.lines, options.line));
  if (line) view.dispatch({ selection: { anchor: line.to }, scrollIntoView: true });
  view.dispatch(setDiagnostics(view.state, diagnostics(view, options.flags)));
  view.focus();
  return view;
}

/** The error and the warnings of the last run, in the margin and under the columns that they are about. */
function diagnostics({ state: { doc } }: EditorView, flags: readonly Flag[]): Diagnostic[] {
  return flags.flatMap(({ kind, message, span }): Diagnostic[] => {
    if (span.line > doc.lines) return [];
    const first = doc.line(span.line);
    const last = doc.line(Math.min(doc.lines, Math.max(span.line, span.end_line)));
    const [from, to] = [Math.min(first.to, first.from + span.column), Math.min(last.to, last.from + span.end_column)];
    return [{ from, to: Math.max(from, to), severity: kind, message: message.replaceAll("`", "") }];
  });
}
