// The entry of a chunk that is loaded once the panel is open.

export { default as menuStyles } from '../../styles/menu.css?inline'
export { Menu } from './Menu.tsx'
