/** The style of all pages: the widget's colours, the left column, the menu on a phone, blocks of code. */
export const baseStyle = `
:root {
  --surface: #fff; --surface-2: #f4f5f7; --ink: #14171f; --ink-2: #5b6472; --line: #e3e6eb;
  --accent: #3b5bdb; --danger: #c92a2a; --text: #2b6a3f;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #15171c; --surface-2: #21242c; --ink: #eceef2; --ink-2: #a2aab8; --line: #2d313b;
    --accent: #91a7ff; --danger: #ff8787; --text: #8fd4a4;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 24px; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--surface); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
main { margin-left: 272px; }
code, pre { font: 13px/1.5 var(--mono); }
p { margin: 0 0 12px; max-width: 68ch; text-wrap: pretty; }
h1 { margin: 0 0 8px; font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 0 0 8px; font-size: 23px; line-height: 1.3; letter-spacing: -0.01em; }
h3 { margin: 0 0 4px; font-size: 17px; line-height: 1.35; }
:is(h2, h3, h4) a { color: inherit; text-decoration: none; }
:is(h2, h3, h4) a:hover { text-decoration: underline; }
:target { scroll-margin-top: 24px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 16px; z-index: 2; padding: 8px 12px; background: var(--surface); }

aside { position: fixed; inset: 0 auto 0 0; width: 272px; overflow-y: auto; padding: 24px 16px 48px 24px; border-right: 1px solid var(--line); }
.brand { display: block; margin-bottom: 20px; color: var(--ink); font-weight: 650; text-decoration: none; }
.brand span { color: var(--ink-2); font-weight: 400; font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li > a, nav .group { color: var(--ink); font-weight: 600; }
nav li ul { margin: 0 0 16px; }
nav :is(li > a, .group, .back a) { display: flex; justify-content: space-between; align-items: baseline; gap: 8px; padding: 4px 8px; margin-left: -8px; border-radius: 6px; font-size: 13.5px; line-height: 1.4; text-decoration: none; }
nav :is(ul ul a, .back a) { color: var(--ink-2); }
nav li > a:hover { background: var(--surface-2); color: var(--ink); }
nav li > a[aria-current] { background: var(--surface-2); color: var(--accent); }
.back { margin: 0 0 16px; }
.menu { display: none; }

figure { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--surface-2); }
figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 36px; padding: 4px 8px 4px 14px; border-bottom: 1px solid var(--line); color: var(--ink-2); font-size: 12px; }
figure pre { margin: 0; padding: 12px 14px; overflow-x: auto; tab-size: 2; }
figure pre:focus-visible { outline-offset: -2px; border-radius: 0 0 10px 10px; }
figure button { min-height: 28px; padding: 2px 10px; border: 1px solid transparent; border-radius: 6px; background: none; color: var(--ink-2); font: inherit; cursor: pointer; }
figure button:hover { border-color: var(--line); background: var(--surface); color: var(--ink); }
:is(p, td, li) > code { padding: 1px 4px; border-radius: 4px; background: var(--surface-2); overflow-wrap: anywhere; }

@media (max-width: 780px) {
  html { scroll-padding-top: 64px; }
  aside { display: none; }
  main { margin-left: 0; }
  .menu { display: block; position: sticky; top: 0; z-index: 1; background: var(--surface); border-bottom: 1px solid var(--line); }
  .menu summary { display: flex; justify-content: space-between; align-items: center; padding: 12px 16px; min-height: 48px; color: var(--ink); font-weight: 650; font-size: 15px; cursor: pointer; }
  .menu summary span { color: var(--accent); font-weight: 500; font-size: 14px; }
  .menu nav { max-height: calc(100dvh - 48px); overflow-y: auto; padding: 8px 24px 24px; }
  .menu nav :is(li > a, .group, .back a) { padding: 10px 8px; font-size: 15px; }
  figure button { min-height: 36px; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  aside, .menu, .skip, figure button { display: none; }
  main { margin: 0; }
  h2, h3, h4 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  figure pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  body { font-size: 11pt; }
}
`
