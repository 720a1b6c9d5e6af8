/** All the script that the page has: buttons that copy, and a mark in the contents where the reader is. */
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
const links = new Map(Array.from(document.querySelectorAll('aside a[href^="#"]'), link => [link.hash.slice(1), link]))
const seen = new Set()
const watch = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) isIntersecting ? seen.add(target) : seen.delete(target)
  const [here] = Array.from(seen).sort((a, b) => a.offsetTop - b.offsetTop)
  if (!here) return
  for (const link of links.values()) link.removeAttribute('aria-current')
  const link = links.get(here.id)
  link.setAttribute('aria-current', 'true')
  const nav = link.closest('aside')
  const { top, bottom } = link.getBoundingClientRect()
  if (top < 64 || bottom > innerHeight - 32) nav.scrollTop += top - innerHeight / 3
}, { rootMargin: '0px 0px -70% 0px' })
for (const id of links.keys()) if (id !== 'main') watch.observe(document.getElementById(id))
const menu = document.querySelector('.menu')
menu.addEventListener('click', event => { if (event.target.closest('a')) menu.open = false })
`
