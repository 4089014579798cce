import { css } from "lit";

export const playerStyle = css`
  :host { display: block; container-type: inline-size; background: var(--surface); border: 1px solid var(--rule); }
  /* On a wall, seen from the last row. */
  :host(:fullscreen) { height: 100%; border: 0; }
  .frame { position: relative; display: grid; height: 100%; min-height: 0; grid-template: "code stage" auto "story stage" minmax(0, 1fr) "story data" auto "controls controls" auto / minmax(20rem, min(39%, 32rem)) minmax(0, 1fr); outline: none; }
  .code { grid-area: code; display: grid; grid-template-rows: auto minmax(0, 1fr); min-height: 0; border-right: 1px solid var(--rule); border-bottom: 1px solid var(--rule); background: var(--sunken); }
  .code header .run { margin-left: auto; }
  .code header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; padding: var(--gap-2) var(--gap-3) var(--gap-1); }
  .code header .heading { flex: 1; }
  backplay-code, .editor { max-height: var(--code-height, 42vh); }
  .editor { position: relative; min-height: 8rem; display: grid; overflow: hidden; }
  .editor:focus-within::after { content: ""; position: absolute; inset: 0; border: 2.5px solid var(--leaf); pointer-events: none; z-index: 300; }
  .run { background: var(--ink); color: var(--surface); font-weight: 600; padding: 0.4rem 0.8rem; display: inline-flex; gap: 0.4rem; align-items: center; justify-content: center; min-width: 5.4rem; }
  .run:hover { background: var(--ink-soft); }
  .run .icon { width: 0.93rem; height: 0.93rem; }
  .quiet { font-size: var(--size-small); border-color: color-mix(in oklab, var(--wire) 60%, transparent); padding: 0.35rem 0.6rem; }
  .quiet:hover { background: var(--surface); border-color: var(--wire); }
  .story { grid-area: story; min-height: 0; display: flex; flex-direction: column; border-right: 1px solid var(--rule); overflow: auto; }
  backplay-narration { flex: 1 0 auto; overflow: visible; }
  .stage { grid-area: stage; position: relative; min-height: 0; min-width: 0; display: grid; grid-template-rows: minmax(0, 1fr) auto; }
  .stages { display: grid; min-height: 0; grid-template: minmax(0, 1fr) / minmax(0, 1fr); }
  .stages.two { grid-template: auto minmax(0, 1fr) / minmax(0, 1fr) minmax(0, 1fr); grid-auto-flow: column; }
  .stages.two .kept { border-right: 1px solid var(--rule); }
  .side { padding: var(--gap-1) var(--gap-3); border-bottom: 1px solid var(--rule); font: 600 var(--size-caption)/1.5 var(--label); }
  .side.kept { color: var(--ink-soft); }
  .quiet[aria-pressed="true"] { background: var(--ink); color: var(--surface); border-color: var(--ink); }
  .stage footer { display: flex; align-items: center; justify-content: space-between; gap: var(--gap-3); min-height: 2.4rem; padding: 0 var(--gap-2) 0 var(--gap-3); }
  .lens { display: flex; margin-left: auto; }
  .lens button { width: 2.2rem; height: 2.2rem; padding: 0; display: grid; place-items: center; }
  .lens .word { width: auto; padding: 0 0.6rem; display: flex; align-items: center; gap: 0.4rem; font-size: var(--size-caption); font-weight: 600; color: var(--ink-soft); }
  .lens .word::before { content: ""; width: 0.6rem; height: 0.6rem; border: 1.5px solid var(--wire); border-radius: 50%; }
  .lens .word[aria-pressed="true"] { color: var(--ink); }
  .lens .word[aria-pressed="true"]::before { background: var(--now); border-color: var(--now); }
  .lens .icon { width: 1.07rem; height: 1.07rem; }
  .data { grid-area: data; display: grid; grid-template-columns: minmax(0, 3fr) minmax(8rem, 1fr); border-top: 1px solid var(--rule); height: var(--values-height, clamp(12.5rem, 25dvh, 22rem)); min-width: 0; }
  backplay-tabs { height: 100%; }
  backplay-output { border-left: 1px solid var(--rule); }
  .controls { grid-area: controls; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.15rem var(--gap-2); font-size: var(--size-caption); color: var(--ink-soft); }
  .legend span::before { content: ""; display: inline-block; width: 0.85rem; height: 0.6rem; margin-right: 0.35rem; border: 1.5px solid var(--wire); border-radius: 2px; vertical-align: -0.02rem; }
  .legend .leaf::before { border-color: var(--leaf); border-radius: 0.4rem; }
  .legend .untracked::before { border-style: dashed; background: var(--sunken); }
  .legend .saved::before { border-color: var(--saved); background: color-mix(in oklab, var(--saved) 25%, transparent); }
  .legend .gradient::before, .legend .sum::before { content: "∂"; width: auto; height: auto; padding: 0 0.3rem; border: 0; border-radius: 1rem; background: var(--gradient); color: var(--on-accent); font: 600 0.6875rem/0.95rem var(--code); }
  .legend .sum::before { content: "Σ"; background: var(--sum); }
  .told { position: absolute; right: var(--gap-4); bottom: 3rem; max-width: 24rem; background: var(--ink); color: var(--surface); padding: var(--gap-2) var(--gap-4); border-radius: var(--round); font-size: var(--size-small); z-index: 3; }
  .told:empty { display: none; }
  /* Under way: a line that runs along the top. Nothing is dimmed, since what is there stays to be read. */
  .busy::before { content: ""; position: absolute; inset: 0 auto auto 0; width: 30%; height: 3px; background: var(--now); z-index: 4; animation: under-way 1.2s ease-in-out infinite alternate; }
  @keyframes under-way { to { left: 70%; } }
  .rehearsal { position: absolute; inset: 0; visibility: hidden; contain: strict; }
  .rehearsal > * { position: absolute; inset: 0; }
  .blank { position: absolute; inset: 0 0 2.4rem; display: grid; place-content: center; justify-items: center; gap: var(--gap-4); color: var(--ink-soft); padding: var(--gap-5); text-align: center; }
  .blank p { max-width: 26rem; text-wrap: balance; }
  .blank div { display: flex; flex-wrap: wrap; justify-content: center; gap: var(--gap-2); }
  ::slotted(*) { display: none; }

  @container (max-width: 1050px) {
    .quiet { padding-inline: 0.4rem; }
    .code header { gap: var(--gap-1); }
    /* With all its buttons, it has no room for a name. */
    .code header:has(:nth-child(7)) .heading { font-size: 0; }
  }
  /* As in a frame in a page of text: there a small graph is still shown whole. */
  @container (max-width: 960px) {
    .frame { grid-template-columns: 35% minmax(0, 1fr); }
  }
  @container (max-width: 800px) {
    .frame { height: auto; grid-template: "code" auto "stage" auto "story" auto "controls" auto "data" auto / minmax(0, 1fr); }
    .code, .story { border-right: 0; }
    .stage { height: clamp(18rem, 52dvh, 40rem); border-bottom: 1px solid var(--rule); }
    .story { overflow: visible; min-height: 15rem; }
    /* Where it plays by itself, what is to be seen comes before the code. */
    :host([autoplay]) .frame { grid-template: "stage" auto "story" auto "code" auto "controls" auto "data" auto / minmax(0, 1fr); }
    :host([autoplay]) .code { border-top: 1px solid var(--rule); }
    .controls { position: sticky; bottom: 0; z-index: 2; }
    .data { height: auto; max-height: none; }
    backplay-code, .editor { max-height: 32dvh; }
  }
  @container (max-width: 700px) {
    .stages.two { grid-template: auto minmax(0, 1fr) auto minmax(0, 1fr) / minmax(0, 1fr); }
    :host .frame .stage:has(.two) { height: clamp(22rem, 60dvh, 48rem); }
    .stages.two .kept { border-right: 0; }
    .stages.two .side:not(.kept) { border-top: 1px solid var(--rule); }
  }
  @container (max-width: 560px) {
    .legend { display: none; }
    .code header { flex-wrap: nowrap; padding: var(--gap-2) var(--gap-2) var(--gap-1); }
    .code header .heading { font-size: 0; }
    .code header button { padding-inline: 0.4rem; min-height: 2.95rem; font-size: var(--size-caption); }
    .code header .run { padding-inline: 0.7rem; min-width: 0; margin-left: auto; font-size: var(--size-small); }
    .lens button { width: 2.95rem; height: 2.95rem; }
    .blank button { min-height: 2.95rem; }
    /* Code, graph and what happens share one screen, above the controls. */
    .stage { height: clamp(15rem, 44dvh, 40rem); }
    :host([autoplay]) .stage { height: clamp(29.6rem, 60dvh, 40rem); }
    backplay-code { max-height: 20dvh; }
    backplay-tabs { scroll-margin-top: 40dvh; }
    .editor { max-height: 32dvh; }
    .data { grid-template-columns: minmax(0, 1fr); }
    backplay-output { border-left: 0; border-top: 1px solid var(--rule); }
  }
  /* A phone on its side: time stays in hand. */
  @media (max-height: 30rem) {
    .frame { height: auto; }
    .controls { position: sticky; bottom: 0; z-index: 2; }
  }
  @media (forced-colors: active) {
    .quiet[aria-pressed="true"], .run { background: Highlight; color: HighlightText; forced-color-adjust: none; }
    .lens .word[aria-pressed="true"]::before, .legend span::before { forced-color-adjust: none; }
  }
  @media print {
    .frame { height: auto; grid-template: "code" auto "stage" auto "story" auto "data" auto / minmax(0, 1fr); print-color-adjust: exact; }
    .frame .stage { height: auto !important; border-bottom: 1px solid var(--rule); break-inside: avoid; }
    .code, .story { border-right: 0; }
    .code, .data { break-inside: avoid; }
    .stages { padding: var(--gap-3) 0 var(--gap-1); }
    .story { overflow: visible; min-height: 0; }
    .lens, .code header, .told { display: none; }
    backplay-code { max-height: none; }
    .data, backplay-tabs { height: auto; }
  }
`;
