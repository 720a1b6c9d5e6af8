import type { WidgetHandle } from 'natter'
import type { Customer } from '../page/customer.ts'
import type { Router } from './router.ts'

/** What every view can use. */
export interface Shop {
  natter: WidgetHandle
  router: Router
  customer: Customer
}
