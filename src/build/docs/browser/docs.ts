// The script of all pages: Copy buttons, a mark at the current section in the table of contents, and the menu on a phone.

for (const figure of document.querySelectorAll('figure')) {
  if (!navigator.clipboard) break
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  figure.querySelector('figcaption')?.append(button)
}

const links = document.querySelectorAll<HTMLAnchorElement>('.toc a')
const sections = [...links].flatMap(link => {
  const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
  return heading ? [{ link, heading }] : []
})
let current: HTMLAnchorElement | undefined

function markCurrent(): void {
  const here = sections.findLast(({ heading }) => heading.getBoundingClientRect().top < 160) ?? sections[0]
  if (!here || here.link === current) return
  current?.removeAttribute('aria-current')
  current = here.link
  current.setAttribute('aria-current', 'true')
  const { top, bottom } = current.getBoundingClientRect()
  const contents = current.closest('.toc')
  if (contents && (top < 64 || bottom > innerHeight - 32)) contents.scrollTop += top - innerHeight / 3
}
addEventListener('scroll', markCurrent, { passive: true })
markCurrent()

const menu = document.querySelector<HTMLDetailsElement>('.menu')
menu?.addEventListener('click', event => {
  if ((event.target as Element).closest('a')) menu.open = false
})
