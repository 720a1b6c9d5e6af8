// The entry of the chunk that an open panel needs next.

import emailStyles from '../styles/email.css?inline'
import menuStyles from '../styles/menu.css?inline'
import ratingStyles from '../styles/rating.css?inline'
import sourcesStyles from '../styles/sources.css?inline'

export { EmailForm } from './EmailForm.tsx'
export { linkify } from './links.tsx'
export { Menu } from './Menu.tsx'
export { RatingButtons } from './RatingButtons.tsx'
export { Sources } from './Sources.tsx'
export { createTopLayer } from './topLayer.ts'

export const styles = menuStyles + ratingStyles + sourcesStyles + emailStyles
