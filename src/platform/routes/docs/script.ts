/** The script of all pages: Copy buttons, and a mark at the current section in the table of contents. */
export const script = `
for (const figure of document.querySelectorAll('figure')) {
  if (!navigator.clipboard) break
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  figure.querySelector('figcaption').append(button)
}
const links = new Map(Array.from(document.querySelectorAll('.toc a, aside a[href^="#"]'), link => [decodeURIComponent(link.hash.slice(1)), link]))
const sections = Array.from(links.keys(), id => document.getElementById(id))
let marked
const mark = () => {
  const here = sections.findLast(section => section.getBoundingClientRect().top < 160) ?? sections[0]
  const link = links.get(here.id)
  if (link === marked) return
  marked?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  marked = link
  const { top, bottom } = link.getBoundingClientRect()
  if (top < 64 || bottom > innerHeight - 32) link.closest('aside, .toc').scrollTop += top - innerHeight / 3
}
if (sections.length > 0) {
  addEventListener('scroll', mark, { passive: true })
  mark()
}
const menu = document.querySelector('.menu')
menu.addEventListener('click', event => { if (event.target.closest('a')) menu.open = false })
`
