export { default as styles } from '../../styles/attachments.css?inline'
export { AttachButton } from './AttachButton.tsx'
export { DraftFiles } from './DraftFiles.tsx'
export { MessageFiles } from './MessageFiles.tsx'
