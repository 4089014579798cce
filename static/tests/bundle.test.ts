import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { tighten } from "../tight-styles";
import { tightenPiece } from "../tight-templates";

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

const root = new URL("..", import.meta.url).pathname;
const KILO = 1024;
const built = mkdtempSync(join(tmpdir(), "backplay-build-"));
let manifest: Record<string, Chunk> = {};

beforeAll(async () => {
  // As it is built to be served: under a test's name, Lit would come in its larger form for developers.
  vi.stubEnv("NODE_ENV", "production");
  await build({ root, logLevel: "error", build: { outDir: built } });
  manifest = JSON.parse(readFileSync(`${built}/.vite/manifest.json`, "utf-8")) as Record<string, Chunk>;
}, 60_000);

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(built, { recursive: true });
});

const zipped = (file: string): number => gzipSync(readFileSync(`${built}/${file}`), { level: 9 }).length;

/** An entry and all that it imports at once. */
function eager(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) eager(next, seen);
  return seen;
}

/** What pages ask for beyond the entry, by themselves. */
const PAGES = ["src/page/embed.ts", "src/page/lesson.ts", "src/page/progress.ts"];

test.each(["", ...PAGES])("the first load is at most 60 KB of script, %s included", (page) => {
  const files = [...eager("src/main.ts"), ...(page ? eager(page) : [])];
  const total = [...new Set(files)].reduce((sum, file) => sum + zipped(file), 0);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(60 * KILO);
});

test("no other page asks for more by itself", () => {
  expect(manifest["src/main.ts"]?.dynamicImports).toEqual(PAGES);
});

test("what is loaded later brings no style sheet, for nothing waits for one", () => {
  const later = Object.entries(manifest).filter(([name]) => name !== "src/main.ts");
  expect(later.length).toBeGreaterThan(10);
  expect(later.filter(([, { css }]) => css !== undefined)).toEqual([]);
});

test("style sheets are sent without what is there for who reads the source", () => {
  const [source, sent] = [
    "x = css`\n  /* why */\n  a, b { c: $(d) e; }\n  f :not(g) > h { i: j, 0.5k 10.5; l: m }\n  $(n) o { p: q; }\n`; // r",
    "x = css`a,b{c:$(d) e}f :not(g)>h{i:j,.5k 10.5;l:m}$(n) o{p:q}`; // r",
  ].map((text) => text.replaceAll(/\$\((\w)\)/g, "$" + "{$1}"));
  expect(tighten(source ?? "")).toBe(sent);
  for (const file of eager("src/main.ts")) expect(readFileSync(`${built}/${file}`, "utf-8")).not.toMatch(/\/\* |\{\n/);
});

test("templates are sent without breaks: none becomes a node in a card, and among words each is a space", () => {
  const piece = '\n    <g\n  class="a">\n      <text x="1">a b</text>\n    ';
  expect(tightenPiece("svg", piece)).toBe('<g class="a"><text x="1">a b</text>');
  expect(tightenPiece("html", "\n  <b>one</b>\n  two")).toBe(" <b>one</b> two");
  for (const file of eager("src/main.ts")) expect(readFileSync(`${built}/${file}`, "utf-8")).not.toMatch(/>\n\s*</);
});

test("the editor is a chunk of its own, at most 140 KB", () => {
  const editor = manifest["src/panels/editor.ts"];
  expect(editor, "the editor must not be part of the first load").toBeDefined();
  expect(eager("src/main.ts")).not.toContain(editor?.file);
  expect(zipped(editor?.file ?? "")).toBeLessThanOrEqual(140 * KILO);
});
