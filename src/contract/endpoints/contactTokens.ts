import { contactTokenCreateSchema, contactTokenSchema } from '../contactTokens.ts'
import { data, type Endpoint, jsonOrForm, organization } from '../endpoint.ts'
import { contact, contactToken } from './samples.ts'

/** The contact-token endpoints (specification: "Contact tokens"), and signing out everywhere. */
export const contactTokenEndpoints = {
  createContactToken: {
    ...organization('PUT', '/auth/contacts'),
    alias: 'POST',
    idempotent: true,
    summary: 'Create a contact token',
    description: [
      'Name the contact by `id`, by `email`, or by both if they belong to the same contact. `POST` on the same path is the same operation.',
      'The token is valid for one year, or for `expiresInSeconds` (JSON only; a form with this field is refused). It is shown only once: only its hash is stored. Repeating the request with the same `Idempotency-Key` revokes the first token and creates another one.',
    ].join('\n\n'),
    body: jsonOrForm(contactTokenCreateSchema, {
      email: { email: contact.email },
      id: { id: contact.id },
      aDay: { id: contact.id, expiresInSeconds: 86_400 },
    }),
    success: {
      status: 201,
      description: 'A new token.',
      ...data(contactTokenSchema, {
        token: contactToken,
        createdAt: '2030-01-15T12:00:00.000Z',
        expiresAt: '2031-01-15T12:00:00.000Z',
      }),
    },
    errors: ['contact_mismatch'],
  },
  revokeContactToken: {
    ...organization('DELETE', '/auth/contacts/{contactToken}'),
    summary: 'Revoke a contact token',
    description:
      'Signs out the session of the token: its next call is refused, and its open widgets are signed out within a second. The response is the same for a token that has been revoked already or does not belong to this bot. `c:…` and `c%3A…` are equivalent.',
    success: { status: 204, description: 'The token is revoked.' },
  },
  revokeContactTokens: {
    ...organization('DELETE', '/contacts/{contactId}/tokens'),
    idempotent: true,
    summary: 'Sign a contact out everywhere',
    description:
      'Revokes every token of the contact, on all devices. A repetition with the same `Idempotency-Key` leaves tokens that were created since.',
    success: { status: 204, description: 'The contact is signed out everywhere.' },
  },
} satisfies Record<string, Endpoint>
