// The chunk that is fetched once the panel is open.

import '../standardBind.ts'

export { default as menuStyles } from '../../styles/menu.css?inline'
export { Menu } from './Menu.tsx'
