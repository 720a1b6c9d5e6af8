import type { EmailRequest, LeasedDelivery } from '../store/store.ts'

/** Whether something to deliver is an email, not an event for a webhook. */
export const isEmail = <Delivery extends Pick<LeasedDelivery['event'], 'type'>>(
  delivery: Delivery,
): delivery is Delivery & Pick<EmailRequest, 'type'> => delivery.type.startsWith('email.')
