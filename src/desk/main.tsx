import { render } from 'preact'
import { App } from './App.tsx'
import { DeskAppContext } from './DeskContext.ts'
import { createDeskApp } from './desk.ts'
import { takeOidcResponse } from './router.ts'
import './styles/desk.css'

const response = takeOidcResponse()
const app = createDeskApp()
app.router.start()
void (response === undefined ? app.session.load() : app.session.finishOidc(response))
render(
  <DeskAppContext.Provider value={app}>
    <App />
  </DeskAppContext.Provider>,
  document.body,
)
