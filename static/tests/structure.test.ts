import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const sources = readdirSync(`${root}src`, { recursive: true, encoding: "utf-8" })
  .filter((path) => path.endsWith(".ts") && path.includes("/"))
  .map((path) => ({ path, folder: path.split("/")[0] ?? "", text: readFileSync(`${root}src/${path}`, "utf-8") }));

/** The table of the README: which folder may use which. */
const mayUse = new Map(
  [...readFileSync(`${root}README.md`, "utf-8").matchAll(/^\| `src\/(\w+)` \|.*\| ([^|]*) \|$/gm)].map(
    ([, folder = "", used = ""]) => [folder, new Set(used.split(", ")).add(folder)] as const,
  ),
);

test("every folder uses those that the README's table allows, and no other", () => {
  expect([...mayUse.keys()].sort()).toEqual([...new Set(sources.map(({ folder }) => folder)), "style"].sort());
  const strays = sources.flatMap(({ path, folder, text }) =>
    [...text.matchAll(/from "(?:\.\.\/)+([a-z-]+)\//g)]
      .map(([, used = ""]) => used)
      .filter((used) => !mayUse.get(folder)?.has(used))
      .map((used) => `${path} uses ${used}`),
  );
  expect(strays).toEqual([]);
});

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

test("what is true at a step, and where it stands, is known without a browser", () => {
  const asks = /\b(document|window)\.|HTMLElement|from "lit"/;
  for (const { path, folder, text } of sources)
    if (folder === "state" || folder === "layout") expect(withoutComments(text), path).not.toMatch(asks);
});

test("no operator is known by name: they arrive in the trace", () => {
  for (const { path, text } of sources) {
    const code = withoutComments(text);
    expect(code, path).not.toMatch(/\w+Backward\d*\b|AccumulateGrad/);
    expect(code, `${path} asks which operator it is`).not.toMatch(/\.operator (===|!==)|switch \(.*\.operator\)/);
  }
});

test("no file of the package is so long that it holds more than one concept", () => {
  for (const { path, text } of sources.filter(({ path }) => !path.endsWith("trace/types.ts")))
    expect(text.split("\n").length, path).toBeLessThanOrEqual(400);
});
