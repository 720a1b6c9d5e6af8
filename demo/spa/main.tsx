import { createWidget } from 'natter'
import { render } from 'preact'
import { createCustomer } from '../page/customer.ts'
import '../page/tokens.css'
import '../page/shop.css'
import { App } from './App.tsx'
import { createRouter } from './router.ts'
import './spa.css'

const root = document.querySelector<HTMLElement>('#app') as HTMLElement
const { botId = '', baseUrl = '' } = root.dataset

// Created once for all views, so that the chat continues across navigation.
const natter = createWidget({ botId, baseUrl, tokenUrl: '/api/contact-token' })
const router = createRouter(draw)
const customer = createCustomer(natter, draw)

draw()
customer.start().catch(console.error)

function draw() {
  render(<App natter={natter} router={router} customer={customer} />, root)
}
