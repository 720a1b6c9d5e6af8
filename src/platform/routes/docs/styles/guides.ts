/** The guides: one column of text, and the page's headings beside it where there is room. */
export const guideStyle = `
.guide { display: grid; grid-template-columns: minmax(0, 820px) 200px; justify-content: center; gap: 40px; padding: 40px 40px 64px; font-size: 16px; line-height: 1.65; }
.prose { min-width: 0; }
.prose > .group { margin: 0 0 4px; color: var(--accent); font-size: 14px; font-weight: 600; }
.guide h1 { margin-bottom: 16px; font-size: 34px; }
.guide h1 + p { color: var(--ink-2); font-size: 18px; line-height: 1.55; }
.guide h2 { margin: 48px 0 12px; padding-top: 24px; border-top: 1px solid var(--line); font-size: 24px; }
.guide h3 { margin: 32px 0 8px; font-size: 18px; }
.guide h4 { margin: 24px 0 8px; font-size: 16px; }
.guide :is(h1, h2, h3) code { font-size: 0.9em; }
.guide :is(p, ul, ol) { max-width: 76ch; margin: 0 0 16px; }
.prose :is(ul, ol) { padding-left: 24px; }
.prose li { margin: 4px 0; }
.prose li > :is(ul, ol) { margin: 4px 0; }
.prose blockquote { margin: 0 0 16px; padding-left: 16px; border-left: 3px solid var(--line); color: var(--ink-2); }
.prose :is(strong, em, a) > code { padding: 1px 4px; border-radius: 4px; background: var(--surface-2); }
.prose code { font-size: 0.86em; }
.prose figure { margin: 4px 0 24px; }
.prose figure code { font-size: 13px; }
.prose img { max-width: 100%; height: auto; vertical-align: top; }
.prose img[src$=".svg"] { width: 640px; aspect-ratio: 7 / 3; }
.prose td > img { min-width: 140px; aspect-ratio: 1000 / 956; border-radius: 8px; }

.table { margin: 4px 0 24px; overflow-x: auto; }
.table table { width: 100%; border-collapse: collapse; font-size: 14.5px; line-height: 1.5; }
.table :is(th, td) { min-width: 9ch; padding: 8px 20px 8px 0; text-align: left; vertical-align: top; }
.table :is(th, td):last-child { padding-right: 0; }
.table th { color: var(--ink-2); font-size: 13px; font-weight: 600; }
.table thead :is(th, td) { border-bottom: 1px solid var(--line); }
.table :empty { padding: 0; }
.table code { overflow-wrap: break-word; }
.table tr + tr td { border-top: 1px solid var(--line); }

.toc { position: sticky; top: 32px; align-self: start; max-height: calc(100dvh - 64px); overflow-y: auto; padding-left: 8px; }
.toc p { margin: 0 0 8px; font-size: 13px; font-weight: 600; }
.toc li > a { font-size: 13px; font-weight: 400; color: var(--ink-2); margin: 0; }
.toc a[data-level="3"] { padding-left: 20px; }
@media (min-width: 1240px) { .contents { display: none; } }

.neighbours { display: flex; flex-wrap: wrap; gap: 16px; margin-top: 56px; }
.neighbours a { flex: 1 1 220px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; font-weight: 600; text-decoration: none; }
.neighbours a:hover { border-color: var(--accent); }
.neighbours [rel="next"] { text-align: right; }
.neighbours span { display: block; color: var(--ink-2); font-size: 13px; font-weight: 400; }

.sequence { container-type: inline-size; margin: 4px 0 24px; padding: 16px; border: 1px solid var(--line); border-radius: 10px; font-size: 14px; line-height: 1.4; }
.sequence :is(ol, p) { max-width: none; margin: 0; padding: 0; list-style: none; }
.sequence .participants { display: none; }
.sequence li { margin: 0; padding: 6px 0; }
.sequence .who { display: block; color: var(--ink-2); font-size: 13px; }
.sequence .colon { position: absolute; clip-path: inset(50%); }
.sequence .note { font-weight: 600; }
.loop > p, .loop > ol { padding-left: 12px; border-left: 3px solid var(--line); }
.loop > p { color: var(--ink-2); font-size: 13px; }
@container (min-width: 600px) {
  [data-columns="2"] > div { --columns: 2; --halves: 4; }
  [data-columns="3"] > div { --columns: 3; --halves: 6; }
  [data-columns="4"] > div { --columns: 4; --halves: 8; }
  .sequence .participants { display: grid; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); gap: 0; }
  .participants span { justify-self: center; padding: 6px 14px; border-radius: 8px; background: var(--surface-2); font-weight: 600; text-align: center; }
  .sequence > div > ol { padding: 12px 0 4px; background: linear-gradient(90deg, transparent calc(50% - 0.5px), var(--line) calc(50% - 0.5px) calc(50% + 0.5px), transparent calc(50% + 0.5px)) 0 0 / calc(100% / var(--columns)) 100%; }
  .sequence li:not(.loop) { display: grid; grid-template-columns: repeat(var(--halves), minmax(0, 1fr)); padding: 7px 0; }
  .sequence .who { position: absolute; clip-path: inset(50%); }
  .sequence li > div { position: relative; text-align: center; }
  [data-start="1"] { grid-column-start: 1; } [data-start="2"] { grid-column-start: 2; } [data-start="3"] { grid-column-start: 3; }
  [data-start="4"] { grid-column-start: 4; } [data-start="5"] { grid-column-start: 5; } [data-start="6"] { grid-column-start: 6; }
  [data-start="7"] { grid-column-start: 7; }
  [data-end="3"] { grid-column-end: 3; } [data-end="4"] { grid-column-end: 4; } [data-end="5"] { grid-column-end: 5; }
  [data-end="6"] { grid-column-end: 6; } [data-end="7"] { grid-column-end: 7; } [data-end="8"] { grid-column-end: 8; }
  [data-end="9"] { grid-column-end: 9; }
  .sequence :is(.message, .reply) { padding: 0 14px 6px; border-bottom: 1.5px solid var(--ink-2); }
  .sequence .reply { border-bottom-style: dashed; }
  .sequence :is(.message, .reply) .what { display: inline-block; padding: 0 6px; background: var(--surface); text-wrap: balance; }
  .rightwards::after, .leftwards::after { content: ""; position: absolute; bottom: -5px; border: solid transparent; border-width: 4px 0 4px 8px; }
  .rightwards::after { right: 0; border-left-color: var(--ink-2); }
  .leftwards::after { left: 0; border-width: 4px 8px 4px 0; border-right-color: var(--ink-2); }
  .sequence :is(.own, .note) { margin: 0 10px; padding: 6px 10px; border-radius: 8px; background: var(--surface-2); text-wrap: balance; }
  .sequence .note { font-weight: 600; }
  .loop { position: relative; margin: 8px 0; outline: 1px dashed var(--ink-2); outline-offset: -2px; border-radius: 8px; }
  .loop > p, .loop > ol { padding-left: 0; border: 0; }
  .sequence .loop > p { display: inline-block; padding: 0 12px; background: var(--surface); margin-left: 6px; }
}

@media (max-width: 1239px) {
  .guide { grid-template-columns: minmax(0, 820px); padding: 32px 32px 56px; }
  .toc { display: none; }
}
@media (max-width: 780px) {
  .guide { padding: 24px 16px 48px; }
  .guide h1 { font-size: 28px; }
  .guide h1 + p { font-size: 17px; }
  .guide h2 { margin-top: 40px; font-size: 22px; }
  .table table:not([data-columns="2"]) { min-width: 600px; }
  .table :is(th, td) { padding-right: 14px; }
}
@media print {
  .guide { display: block; padding: 0; }
  .toc, .neighbours { display: none; }
}
`
