import { css } from "lit";
import { MAGNIFIED } from "./camera";

export const stageStyle = css`
  :host { display: block; position: relative; overflow: hidden; background: var(--surface); container-type: size; }
  svg { position: absolute; inset: 0; width: 100%; height: 100%; display: block; touch-action: pan-y; cursor: grab; user-select: none; }
  .world { transform-origin: 0 0; transition: transform var(--calm) var(--ease); }
  .still .world { transition: none; }
  /* Letters are shaped once and scaled with the view; else every change of scale would shape each word anew. */
  text { font-family: var(--code); font-size: 11.5px; fill: var(--ink); text-rendering: geometricPrecision; }

  .card { cursor: pointer; }
  .card .outline { fill: var(--raised); stroke: var(--wire); stroke-width: 1.5; transition: stroke var(--quick), stroke-width var(--quick); }
  .leaf .outline { stroke: var(--leaf); stroke-width: 2; }
  .constant .outline { stroke-dasharray: 5 4; fill: var(--sunken); }
  .card:hover .outline { stroke-width: 2.5; }
  .now .halo { opacity: 1; }
  .halo { fill: var(--now-field); stroke: var(--now); stroke-width: 2; opacity: 0; transition: opacity var(--quick); }
  .selected .outline { stroke: var(--ink); stroke-width: 2.5; }
  .title { font-size: 15px; font-weight: 600; }
  .version { font-size: 11px; font-weight: 400; fill: var(--ink-soft); }
  .value { font-size: 15px; text-anchor: end; }
  .shape { text-anchor: end; fill: var(--ink-soft); }
  .name, .field { fill: var(--ink-soft); }
  .disc { fill: var(--sunken); stroke: var(--wire); }
  .symbol { font-size: 14px; font-weight: 600; text-anchor: middle; }
  .symbol.word { font-size: 12px; }
  .group .outline { stroke-width: 2.5; }
  .track { fill: var(--sunken); stroke: var(--wire); stroke-width: 0.5; }
  .track.made { fill: var(--wire); stroke: none; }
  .track.ran { fill: var(--gradient); stroke: none; }
  .hull { fill: var(--sunken); }
  .depth-1 .hull { fill: color-mix(in oklab, var(--sunken) 50%, var(--surface)); }
  .hull.whole { stroke: var(--rule); }
  .part-title { cursor: pointer; text-decoration-color: var(--wire); paint-order: stroke; stroke: var(--surface); stroke-width: 4px; text-decoration: underline dotted; text-underline-offset: 3px; fill: var(--ink-soft); font-family: var(--label); font-size: 12px; font-weight: 600; }
  .divider { stroke: var(--rule); }

  .pill > rect { stroke-width: 1.25; transition: fill var(--calm), stroke var(--calm); }
  .pill text { text-anchor: middle; }
  .glyph { font-weight: 600; }
  .not-yet rect { fill: none; stroke: var(--wire); stroke-dasharray: 1.5 3; stroke-linecap: round; }
  .not-yet text { fill: var(--ink-soft); }
  .none rect { fill: var(--sunken); stroke: var(--wire); }
  .none text { fill: var(--ink); font-style: italic; }
  .gradient > rect { fill: var(--gradient); stroke: var(--gradient); }
  .gradient text { fill: var(--on-accent); font-weight: 600; }
  .gradient.spent > rect { fill: none; stroke: var(--gradient); }
  .gradient.spent text { fill: var(--gradient); font-weight: 400; }
  .sum > rect { fill: var(--sum); stroke: var(--sum); }
  .sum text { fill: var(--on-accent); font-weight: 600; }

  .badge { transition: opacity var(--quick); }
  .badge rect { fill: none; stroke: var(--saved); stroke-width: 1.25; transition: stroke var(--calm); }
  .badge text { fill: var(--saved); }
  .badge .mark { fill: var(--saved); stroke: var(--saved); }
  .badge .held-value { font-weight: 600; }
  .badge.not_yet { opacity: 0; }
  .badge .level { fill: color-mix(in oklab, var(--saved) 14%, var(--raised)); stroke: none; transform-box: fill-box; transform-origin: bottom; transition: transform var(--calm) var(--ease); }
  .badge.freed .level { transform: scaleY(0); }
  .badge.freed rect { stroke-dasharray: 3 3; stroke: var(--wire); }
  .badge.freed text { fill: var(--ink-soft); text-decoration: line-through; }
  .badge.freed .mark { fill: none; stroke: var(--wire); }

  .thread { fill: none; stroke: var(--wire); stroke-width: 1.75; stroke-dasharray: 1; transition: stroke var(--quick); }
  .thread.lit { stroke: var(--gradient); stroke-width: 2.75; }
  .thread.untracked { stroke-dasharray: none; stroke-width: 1.25; opacity: 0.75; }
  .cut rect { fill: var(--sunken); }
  .cut path { stroke: var(--ink); stroke-width: 2; }
  .cut text { text-anchor: middle; fill: var(--ink); }
  .leap { cursor: pointer; }
  .leap circle { fill: var(--raised); stroke: var(--wire); stroke-width: 1.5; }
  .leap.lit circle { stroke: var(--gradient); stroke-width: 2.75; }
  .leap text { font-weight: 600; text-anchor: middle; fill: var(--ink-soft); }
  .port { fill: var(--wire); }
  .argument { font-size: 10px; fill: var(--ink-soft); text-anchor: end; }

  .message .sized > rect { fill: var(--raised); stroke: var(--gradient); stroke-width: 1.5; }
  .message text { text-anchor: middle; fill: var(--gradient); font-weight: 600; font-size: 12px; }
  .message.fresh .sized > rect { fill: var(--gradient); }
  .message.fresh text { fill: var(--on-accent); }
  .message.none .sized > rect { stroke-dasharray: 2 3; }
  .message.past .sized > rect { stroke-width: 1; }
  .message.past text { font-weight: 400; }

  /* From far away: fewer words, and larger. */
  .title.alone { text-anchor: middle; }
  .distant .sized { transform: scale(${MAGNIFIED}); }
  .distant .part-title { font-size: 16px; }
  .distant :is(.outline, .thread) { stroke-width: 2.5; }
  .distant .plain rect { fill: none; stroke: none; }
  .distant .plain text { fill: var(--ink-soft); }

  .callout rect, .callout path { fill: var(--ink); }
  .callout text { fill: var(--surface); font-weight: 600; }
  .callout .aside { font-weight: 400; opacity: 0.8; }

  .difference rect { fill: var(--now-field); stroke: var(--now); stroke-width: 1.5; }
  .difference text { text-anchor: middle; font-weight: 600; }

  .minimap { cursor: pointer; }
  .map-ground { fill: var(--raised); stroke: var(--wire); stroke-width: 0.75; }
  .map-later { fill: none; stroke: var(--rule); stroke-width: 0.75; }
  .map-made { fill: var(--wire); }
  .map-now { fill: var(--gradient); }
  .map-view { fill: color-mix(in oklab, var(--now) 16%, transparent); stroke: var(--now); stroke-width: 1.5; }

  .numbers .element { text-anchor: middle; font-size: 11px; }
  .frame { fill: none; stroke: var(--rule); }
  .heat path { stroke: none; }
  .tiny .frame { stroke: var(--surface); stroke-width: 1; }
  .zero { fill: var(--sunken); }
  .odd { fill: var(--error); }
  .plus-1 { fill: color-mix(in oklab, var(--gradient) 22%, var(--sunken)); }
  .plus-2 { fill: color-mix(in oklab, var(--gradient) 45%, var(--sunken)); }
  .plus-3 { fill: color-mix(in oklab, var(--gradient) 70%, var(--sunken)); }
  .plus-4 { fill: var(--gradient); }
  .minus-1 { fill: color-mix(in oklab, var(--leaf) 22%, var(--sunken)); }
  .minus-2 { fill: color-mix(in oklab, var(--leaf) 45%, var(--sunken)); }
  .minus-3 { fill: color-mix(in oklab, var(--leaf) 70%, var(--sunken)); }
  .minus-4 { fill: var(--leaf); }

  @media (prefers-reduced-motion: no-preference) {
    .fresh .card-body { animation: appear var(--calm) var(--ease); transform-origin: center; transform-box: fill-box; }
    .fresh .thread.tracked { animation: grow 360ms var(--ease); }
    .late { animation: rise var(--quick) var(--travel, 0ms) backwards; }
    .summed text, .stored text { animation: rise var(--quick) var(--delivery, 0ms) backwards; }
    .summed > rect, .stored > rect { transform-box: fill-box; transform-origin: center; animation: swell 320ms var(--delivery, 0ms) var(--ease); }
    .delivered { pointer-events: none; }
    .callout { animation: rise var(--calm) var(--ease); }
    .callout text { animation: rise var(--quick) var(--ease) backwards; }
    .callout .piece-1 { animation-delay: 80ms; }
    .callout .piece-2 { animation-delay: 160ms; }
    .callout .piece-3 { animation-delay: 240ms; }
    .callout .piece-4 { animation-delay: 280ms; }
    @keyframes swell { 40% { transform: scale(1.14); } }
    @keyframes appear { from { opacity: 0; transform: scale(0.92); } }
    @keyframes grow { from { stroke-dashoffset: 1; } }
    @keyframes rise { from { opacity: 0; fill-opacity: 0; } }
  }
  @media (prefers-reduced-motion: reduce) {
    .world { transition: none; }
    .message.fresh, .callout, .fresh .card-body { animation: fade 200ms linear; }
    @keyframes fade { from { opacity: 0; } }
  }
  @media print {
    /* On paper nothing is on its way. */
    * { animation: none !important; transition: none !important; }
    :host { container-type: normal; overflow: visible; }
    svg { position: static; height: auto; max-height: 23cm; margin: 0 auto; }
  }
`;
