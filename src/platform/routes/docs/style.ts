/** The page's looks: the widget's colours, one column on a phone, two beside the contents where there is room. */
export const style = `
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
code, pre { font: 13px/1.5 var(--mono); }
p { margin: 0 0 12px; max-width: 68ch; text-wrap: pretty; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 16px; z-index: 2; padding: 8px 12px; background: var(--surface); }

aside { position: fixed; inset: 0 auto 0 0; width: 272px; overflow-y: auto; padding: 24px 16px 48px 24px; border-right: 1px solid var(--line); }
.brand { display: block; margin-bottom: 20px; color: var(--ink); font-weight: 650; text-decoration: none; }
.brand span { color: var(--ink-2); font-weight: 400; font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li > a { color: var(--ink); font-weight: 600; }
nav li ul { margin: 0 0 16px; }
nav a { display: flex; justify-content: space-between; align-items: baseline; gap: 8px; padding: 4px 8px; margin-left: -8px; border-radius: 6px; color: var(--ink-2); font-size: 13.5px; line-height: 1.4; text-decoration: none; }
nav a:hover { background: var(--surface-2); color: var(--ink); }
nav a[aria-current] { background: var(--surface-2); color: var(--accent); }
.menu { display: none; }

main { margin-left: 272px; }
section { padding: 40px 48px 8px; border-bottom: 1px solid var(--line); }
section:last-child { border: 0; }
h1 { margin: 0 0 8px; font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 0 0 8px; font-size: 23px; line-height: 1.3; letter-spacing: -0.01em; }
h3 { margin: 0 0 4px; font-size: 17px; line-height: 1.35; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4, .minor { margin: 24px 0 8px; font-size: 13px; letter-spacing: 0; color: var(--ink-2); font-weight: 600; }
.lead { font-size: 17px; color: var(--ink-2); }
article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 48px; padding: 32px 0; max-width: 1360px; }
section > header + article { padding-top: 24px; }
section > article + article { border-top: 1px solid var(--line); }
.shown { position: sticky; top: 24px; align-self: start; min-width: 0; }
.shown pre { max-height: 52vh; overflow-y: auto; }
.path { margin: 0 0 12px; }
.path code { overflow-wrap: anywhere; }
.method { font: 600 11px/1.4 var(--mono); color: var(--accent); }
.method[data-method="GET"] { color: var(--ink-2); }
.method[data-method="DELETE"] { color: var(--danger); }

.fields { list-style: none; margin: 0; padding: 0; }
.fields li { padding: 8px 0; border-top: 1px solid var(--line); }
.fields li p { margin: 2px 0 0; }
.fields .fields { margin: 8px 0 0; padding-left: 16px; border-left: 2px solid var(--line); }
.fields .fields > li:first-child { border-top: 0; padding-top: 0; }
.field code { font-weight: 600; overflow-wrap: anywhere; }
.type { color: var(--ink-2); font-size: 13px; }
.required { color: var(--danger); font-size: 12px; }
.limits { color: var(--ink-2); font-size: 13px; }
.limits span:not(:last-child)::after { content: " · "; white-space: pre; }
.limits code { font-size: 12px; overflow-wrap: anywhere; }
p code, td code, li > p code { padding: 1px 4px; border-radius: 4px; background: var(--surface-2); overflow-wrap: anywhere; }
.path code { padding: 0; background: none; font-size: 14px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { padding: 4px 12px 4px 0; text-align: left; font-size: 12px; font-weight: 500; color: var(--ink-2); }
td { padding: 8px 12px 8px 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 64px; font: 13px/1.65 var(--mono); }
td a { text-decoration: none; }
td .fields { margin-top: 8px; }
td .field code { padding: 0; background: none; }
table + p { margin-top: 8px; }

figure { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--surface-2); }
figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 36px; padding: 4px 8px 4px 14px; border-bottom: 1px solid var(--line); color: var(--ink-2); font-size: 12px; }
figure pre { margin: 0; padding: 12px 14px; overflow-x: auto; tab-size: 2; }
figure pre:focus-visible { outline-offset: -2px; border-radius: 0 0 10px 10px; }
figure button { min-height: 28px; padding: 2px 10px; border: 1px solid transparent; border-radius: 6px; background: none; color: var(--ink-2); font: inherit; cursor: pointer; }
figure button:hover { border-color: var(--line); background: var(--surface); color: var(--ink); }
.key { color: var(--accent); }
.text { color: var(--text); }
.object { display: block; }
.errors article { padding: 16px 0; border-top: 1px solid var(--line); }
.errors h3 { font-size: 15px; }
.errors h3 code { font-size: 14px; }
.errors p { margin: 0; }
summary { cursor: pointer; color: var(--ink-2); font-size: 13px; padding: 4px 0; }
.errors figure { margin-top: 8px; }
:target { scroll-margin-top: 24px; }

@media (max-width: 1180px) {
  article { display: block; }
  .shown { position: static; margin-top: 24px; }
  .shown pre { max-height: none; }
  section { padding: 32px 32px 8px; }
}
@media (max-width: 780px) {
  html { scroll-padding-top: 64px; }
  aside { display: none; }
  main { margin-left: 0; }
  section { padding: 24px 16px 8px; }
  .menu { display: block; position: sticky; top: 0; z-index: 1; background: var(--surface); border-bottom: 1px solid var(--line); }
  .menu summary { display: flex; justify-content: space-between; align-items: center; padding: 12px 16px; min-height: 48px; color: var(--ink); font-weight: 650; font-size: 15px; }
  .menu summary span { color: var(--accent); font-weight: 500; font-size: 14px; }
  .menu nav { max-height: calc(100dvh - 48px); overflow-y: auto; padding: 8px 24px 24px; }
  .menu nav a { padding: 10px 8px; font-size: 15px; }
  figure button { min-height: 36px; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  aside, .menu, .skip, figure button { display: none; }
  main { margin: 0; }
  section, article { padding-left: 0; padding-right: 0; }
  article { display: block; break-inside: auto; }
  h2, h3, h4 { break-after: avoid; }
  figure, tr, .fields li { break-inside: avoid; }
  .shown { position: static; }
  .shown pre { max-height: none; }
  figure pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  ::details-content { content-visibility: visible; block-size: auto; }
  body { font-size: 11pt; }
}
`
