import { css } from "lit";

/** What every panel shares: type, focus, buttons. */
export const baseStyle = css`
  :host { font-family: var(--label); font-size: var(--size-body); line-height: 1.45; color: var(--ink); }
  :host([hidden]) { display: none; }
  *, *::before, *::after { box-sizing: border-box; }
  h2, h3, h4, p, ol, ul, pre, table { margin: 0; padding: 0; }
  ol, ul { list-style: none; }
  code { font-family: var(--code); font-size: 0.92em; }
  :focus-visible { outline: 2.5px solid var(--leaf); outline-offset: 2px; border-radius: 4px; }
  button {
    font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: var(--round);
    padding: 0.3rem 0.6rem; cursor: pointer; transition: background var(--quick), border-color var(--quick);
  }
  button:hover { background: var(--sunken); }
  button:disabled { opacity: 0.45; cursor: default; }
  dialog { color: var(--ink); background: var(--surface); border: 1px solid var(--rule); border-radius: 0.875rem; padding: var(--gap-5); max-height: 88dvh; overflow: auto; box-shadow: 0 1.5rem 4rem rgb(0 0 0 / 0.25); }
  dialog::backdrop { background: rgb(0 0 0 / 0.45); }
  dialog header { position: sticky; top: calc(-1 * var(--gap-5)); display: flex; justify-content: space-between; align-items: center; margin: calc(-1 * var(--gap-5)) 0 var(--gap-2); padding: var(--gap-4) 0 var(--gap-2); background: var(--surface); }
  dialog header h2 { font: 600 var(--size-heading)/1.2 var(--text); }
  dialog header button { width: 2.95rem; height: 2.95rem; margin-right: -0.75rem; padding: 0; display: grid; place-items: center; }
  .icon { width: 1.33rem; height: 1.33rem; }
  .heading { font-size: var(--size-caption); font-weight: 600; letter-spacing: 0.02em; color: var(--ink-soft); }
  .hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;
