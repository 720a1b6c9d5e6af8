/** The API reference: descriptions and examples side by side, or in one column on a narrow screen. */
export const apiStyle = `
.api section { padding: 40px 48px 8px; border-bottom: 1px solid var(--line); }
.api section:last-child { border: 0; }
.api h4, .minor { margin: 24px 0 8px; font-size: 13px; letter-spacing: 0; color: var(--ink-2); font-weight: 600; }
.lead { font-size: 17px; color: var(--ink-2); }
article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 48px; padding: 32px 0; max-width: 1360px; }
section > header + article { padding-top: 24px; }
section > article + article { border-top: 1px solid var(--line); }
.examples { position: sticky; top: 24px; align-self: start; min-width: 0; }
.examples pre { max-height: 52vh; overflow-y: auto; }
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
.path code { padding: 0; background: none; font-size: 14px; }
.api table { width: 100%; border-collapse: collapse; font-size: 14px; }
.api th { padding: 4px 12px 4px 0; text-align: left; font-size: 12px; font-weight: 500; color: var(--ink-2); }
.api td { padding: 8px 12px 8px 0; border-top: 1px solid var(--line); vertical-align: top; }
.api td:first-child { width: 64px; font: 13px/1.65 var(--mono); }
.api td a { text-decoration: none; }
.api td a code { padding: 1px 4px; border-radius: 4px; background: var(--surface-2); overflow-wrap: anywhere; }
.api td .fields { margin-top: 8px; }
.api table + p { margin-top: 8px; }

.key { color: var(--accent); }
.text { color: var(--text); }
.object { display: block; }
.errors article { padding: 16px 0; border-top: 1px solid var(--line); }
.errors h3 { font-size: 15px; }
.errors h3 code { font-size: 14px; }
.errors p { margin: 0; }
article summary { cursor: pointer; color: var(--ink-2); font-size: 13px; padding: 4px 0; }
.errors figure { margin-top: 8px; }

@media (max-width: 1180px) {
  article { display: block; }
  .examples { position: static; margin-top: 24px; }
  .examples pre { max-height: none; }
  .api section { padding: 32px 32px 8px; }
}
@media (max-width: 780px) {
  .api section { padding: 24px 16px 8px; }
}
@media print {
  .api section, article { padding-left: 0; padding-right: 0; }
  article { display: block; break-inside: auto; }
  .fields li { break-inside: avoid; }
  .examples { position: static; }
  .examples pre { max-height: none; }
  ::details-content { content-visibility: visible; block-size: auto; }
}
`
