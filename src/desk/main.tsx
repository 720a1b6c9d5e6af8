import { render } from 'preact'
import { App } from './App.tsx'
import { DeskAppContext } from './DeskContext.ts'
import { createDeskApp } from './desk.ts'
import './styles/desk.css'

const app = createDeskApp()
app.router.start()
void app.session.load()
render(
  <DeskAppContext.Provider value={app}>
    <App />
  </DeskAppContext.Provider>,
  document.body,
)
