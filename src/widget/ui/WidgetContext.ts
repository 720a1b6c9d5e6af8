// Imported for its side effect: components subscribe to the signals that they read.
import '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { WidgetModels } from '../app/createApp.ts'
import type { Strings } from '../i18n/en.ts'

/** Provides the app's models to all components below. */
export const WidgetContext = createContext<WidgetModels | null>(null)

export function useWidget(): WidgetModels {
  const models = useContext(WidgetContext)
  if (!models) throw new Error('useWidget() needs a <WidgetContext.Provider> above the component')
  return models
}

/** Returns the texts of the current language. A component that calls this renders again when the language changes. */
export function useStrings(): Strings {
  return useWidget().strings.value
}
