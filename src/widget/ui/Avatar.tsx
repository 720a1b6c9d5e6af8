import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'

/** The picture of the bot or of a team member. The initial of the name is shown until it has loaded, and if that fails. */
export function Avatar({ name, url }: { name: string; url: string | undefined }): JSX.Element {
  const failedUrl = useSignal('')
  const [initial] = name
  return (
    <span class="avatar" aria-hidden="true" translate={false}>
      {initial}
      {url && url !== failedUrl.value && (
        <img
          src={url}
          alt=""
          referrerpolicy="no-referrer"
          onError={() => {
            failedUrl.value = url
          }}
        />
      )}
    </span>
  )
}
