import css from '../styles/markdown.css?inline'

/** Adds the styles of Markdown to the widget's shadow root. Call it once, before the first `<Markdown>` is rendered. */
export function adoptMarkdownStyles(root: ShadowRoot): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter(adopted => adopted !== sheet)
  }
}
