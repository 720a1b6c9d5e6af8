/** Keeps the wheel from scrolling the page behind the panel, where nothing of the panel can be scrolled. */
export function keepPageStill(event: WheelEvent): void {
  const panel = event.currentTarget
  for (let element = event.target as Element | null; element && element !== panel; element = element.parentElement)
    if (element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY)) return
  if (!event.deltaX && !event.ctrlKey) event.preventDefault()
}
