'use client'

import { createContext, createElement, type ReactElement, type ReactNode, useContext, useEffect, useState } from 'react'
import { createWidget, type WidgetHandle, type WidgetOptions } from '../index.ts'
import { createInertHandle } from '../loader/widgetHandle.ts'
import { type Auth, authOf, followWidget, unknownVisitor } from './followWidget.ts'

/** The options of the widget, and the app around which the provider stands. */
export type NatterProviderProps = WidgetOptions & { baseUrl: string; children?: ReactNode }

/** What `useNatter()` returns. */
export interface UseNatterResult {
  /** The calls of the widget. Until the provider's first effect they do nothing, so effects depend on it. */
  natter: WidgetHandle
  /** The number of unread messages. */
  unread: number
  /** Who the visitor is. */
  auth: Auth
}

const NatterContext = createContext<UseNatterResult | null>(null)

/**
 * Keeps the widget on the page while it is mounted. A new `locale` takes effect at once, any other changed text, number or
 * boolean creates a new widget. Functions and objects are read then. Throws as `createWidget()` does, in an effect.
 * @example
 * <NatterProvider botId="BOT_ID" baseUrl="https://chat.example"><App /></NatterProvider>
 */
export function NatterProvider({
  children,
  ...options
}: NatterProviderProps): ReactElement<{ value: UseNatterResult | null }> {
  const { locale, ...others } = options
  const [value, setValue] = useState<UseNatterResult>(() => ({
    natter: createInertHandle(),
    unread: 0,
    auth: unknownVisitor,
  }))
  useEffect(
    () => {
      const natter = createWidget(options)
      setValue({ natter, unread: 0, auth: authOf(natter) })
      followWidget(
        natter,
        unread => setValue(before => ({ ...before, unread })),
        auth => setValue(before => ({ ...before, auth })),
      )
      return natter.destroy
    },
    // Inline functions and objects are new at each render, and equal as texts.
    [String(Object.values(others))],
  )
  useEffect(() => {
    if (locale) value.natter.setLocale(locale)
  }, [value.natter, locale])
  return createElement(NatterContext.Provider, { value }, children)
}

/** Returns the calls and the state of the widget of the `NatterProvider` around the component. Throws if there is none. */
export function useNatter(): UseNatterResult {
  const value = useContext(NatterContext)
  if (!value) throw new Error('useNatter() needs a <NatterProvider> around the component')
  return value
}
