import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

type Colour = readonly [number, number, number];

const source = readFileSync(new URL("../../src/style/tokens.css", import.meta.url), "utf-8");

/** Every colour token of a theme. */
function tokens(theme: "light" | "dark"): Map<string, Colour> {
  const found = new Map<string, Colour>();
  for (const [, name, light, dark] of source.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)) {
    found.set(name ?? "", parse((theme === "light" ? light : dark) ?? ""));
  }
  return found;
}

const parse = (hex: string): Colour =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;

/** Relative luminance and contrast, as WCAG 2.2 defines them. */
function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Colour, b: Colour): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TEXT_ON_GROUND = ["ink", "ink-soft", "leaf", "gradient", "sum", "saved", "error"].flatMap((text) =>
  ["paper", "surface", "raised", "sunken"].map((ground) => [text, ground] as const),
);
const TEXT_ON_FIELDS = [
  ["ink", "now-field"],
  ["ink", "error-field"],
  ["error", "error-field"],
  ["on-accent", "gradient"],
  ["on-accent", "sum"],
  ["surface", "ink"],
  ["leaf", "now-field"],
  ["sum", "now-field"],
  ["ink-soft", "now-field"],
] as const;
const SHAPES = ["wire", "leaf", "gradient", "sum", "saved", "now", "error"].flatMap((shape) =>
  ["surface", "raised", "sunken"].map((ground) => [shape, ground] as const),
);

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  const colours = tokens(theme);
  const colour = (name: string): Colour => {
    const found = colours.get(name);
    if (!found) throw new Error(`there is no colour token --${name}`);
    return found;
  };

  test.each([...TEXT_ON_GROUND, ...TEXT_ON_FIELDS])("%s on %s is readable (AA, 4.5)", (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(SHAPES)("%s can be told from %s (AA for shapes, 3)", (shape, ground) => {
    expect(contrast(colour(shape), colour(ground))).toBeGreaterThanOrEqual(3);
  });
});
