import { render } from 'preact'
import { App } from './App.tsx'
import { DeskAppContext } from './DeskContext.ts'
import { createDeskApp } from './desk.ts'
import { loadStrings } from './i18n/locales.ts'
import { takeOidcResponse } from './router.ts'
import './styles/desk.css'

const response = takeOidcResponse()
const strings = await loadStrings(navigator.languages)
document.documentElement.lang = strings.lang
document.documentElement.dir = strings.dir
const app = createDeskApp(strings)
app.router.start()
void (response === undefined ? app.session.load() : app.session.finishOidc(response))
render(
  <DeskAppContext.Provider value={app}>
    <App />
  </DeskAppContext.Provider>,
  document.body,
)
