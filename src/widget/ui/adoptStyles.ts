/** Adds styles to the widget's shadow root until `abortSignal` aborts. */
export function adoptStyles(root: ShadowRoot, css: string, abortSignal: AbortSignal): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  abortSignal.addEventListener('abort', () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter(adopted => adopted !== sheet)
  })
  return sheet
}
