import { type ReadonlySignal, signal } from '@preact/signals'

export interface AlertChoices {
  /** Plays a sound. */
  sound: boolean
  /** Shows a notification of the browser while the desk is not in sight. */
  notifications: boolean
  /** The notification has what the visitor wrote. */
  texts: boolean
}

/** How this browser tells the member that somebody waits. Another member has its own choices. */
export interface AlertSettings {
  readonly choices: ReadonlySignal<AlertChoices>
  /** Switches one on or off. Notifications stay off if the browser or the member refuses them. */
  choose(name: keyof AlertChoices, isOn: boolean): Promise<void>
}

const names = ['sound', 'notifications', 'texts'] as const

export function createAlertSettings(memberId: string): AlertSettings {
  const storageKey = `natter-desk-alerts ${memberId}`
  const choices = signal(readChoices(storageKey))
  // One tab plays the sound for all, so what is chosen in another one counts here, too.
  addEventListener('storage', () => {
    choices.value = readChoices(storageKey)
  })
  return {
    choices,
    async choose(name, isOn) {
      if (name === 'notifications' && isOn && !(await askPermission())) return
      choices.value = { ...choices.value, [name]: isOn }
      localStorage.setItem(storageKey, names.filter(each => choices.value[each]).join(' '))
    },
  }
}

function readChoices(storageKey: string): AlertChoices {
  const stored = localStorage.getItem(storageKey)?.split(' ') ?? ['sound']
  return {
    sound: stored.includes('sound'),
    notifications: stored.includes('notifications') && canNotify(),
    texts: stored.includes('texts'),
  }
}

const canNotify = (): boolean => 'Notification' in window && Notification.permission === 'granted'

const askPermission = async (): Promise<boolean> =>
  'Notification' in window && (await Notification.requestPermission()) === 'granted'
