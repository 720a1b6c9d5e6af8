import * as v from 'valibot'
import { attributesUpdateSchema, contactAttributesSchema } from '../attributes.ts'
import {
  contactCreateSchema,
  contactSchema,
  contactUpdateSchema,
  contactUpsertEntrySchema,
  contactUpsertSchema,
  maxUpsertEntries,
  upsertResultSchema,
} from '../contacts.ts'
import { content, data, type Endpoint, json, jsonOrForm, organization } from '../endpoint.ts'
import { upsertTimeLimitMs } from '../limits.ts'
import { contactListPageSchema, contactListSchema, contactSearchSchema, paginationSchema } from '../pagination.ts'
import { object } from '../validation.ts'
import { contact, contactId } from './samples.ts'

const { name, email, phone, wid } = contact

/** The contact endpoints (specification: "Contacts"). */
export const contactEndpoints = {
  createContact: {
    ...organization('PUT', '/contacts'),
    idempotent: true,
    summary: 'Create a contact',
    description: [
      'Emails are unique within an organization, across its bots. If the email belongs to a contact of the same bot, `conflict` of the error names that contact.',
      'In a form body, send a plus sign as `%2B`.',
    ].join('\n\n'),
    body: jsonOrForm(contactCreateSchema, { contact: { name, email, phone, wid } }),
    success: { status: 201, description: 'The contact was created.', ...data(contactSchema, contact) },
    errors: ['email_taken'],
  },
  upsertContacts: {
    ...organization('PATCH', '/contacts'),
    idempotent: true,
    summary: 'Upsert contacts',
    description: [
      'Creates or updates up to 1000 contacts. An entry whose email belongs to a contact of this bot updates that contact. Any other entry creates a contact, and also needs a name. Absent fields keep their values; `""` clears phone, mid and wid. A contact of which no field has another value keeps its `updatedAt`.',
      'If an entry is invalid, nothing is written, and the first 100 errors name their entries by `index` and `pointer`. Entries with the same email are applied in order.',
    ].join('\n\n'),
    // A thousand entries take longer, and may wait for others.
    timeLimitMs: upsertTimeLimitMs,
    body: {
      ...json(contactUpsertSchema, {
        entries: {
          data: [
            { name, email, phone },
            { name: 'Grace Hopper', email: 'grace@example.com', wid: '+4787654321' },
          ],
        },
      }),
      maxBytes: 4 * 1024 * 1024,
      entries: { schema: contactUpsertEntrySchema, max: maxUpsertEntries },
    },
    success: {
      status: 200,
      description: 'All entries were applied. There is one result for each, in the same order.',
      ...data(v.array(upsertResultSchema), [
        { index: 0, id: contactId },
        { index: 1, id: '0197a1b5-77aa-7b3c-8d4e-5f60718293a4' },
      ]),
    },
    errors: ['too_many_entries'],
  },
  searchContacts: {
    ...organization('POST', '/contacts'),
    summary: 'Search for contacts',
    description: [
      'Parameters are sent in the query string; a body with one of them gets 400. The newest contacts come first.',
      '`query` finds contacts that contain each of its words in id, name, email, phone, mid or wid, in any order. A text of phone characters with at least three digits is also compared by its digits alone: `22 33` finds `+47 2233…`.',
      '`email`, instead of `query`, finds the contact with exactly that email. Other fields are no filters: their names get 400. Unknown parameters are ignored.',
      'A page after the last one is empty, so a client may read pages until one is. Its `page` is the one that was asked for, and its `pages` are the last ones.',
      'The total of all contacts is always exact. The total for a text is exact up to 10 000. Beyond that, `totalIsExact` is `false`, and a page after the last counted one gets 400, because there may be more contacts. The list of contacts has no such limit.',
    ].join('\n\n'),
    query: contactSearchSchema,
    queryExample: { query: 'ada' },
    success: {
      status: 200,
      description: 'A page of the contacts found.',
      ...content(object({ data: v.array(contactSchema), pagination: paginationSchema }), {
        data: [contact],
        pagination: {
          total: 1,
          page: 1,
          limit: 10,
          totalPages: 1,
          startPage: 1,
          endPage: 1,
          startIndex: 0,
          endIndex: 0,
          pages: [1],
        },
      }),
    },
  },
  listContacts: {
    ...organization('GET', '/contacts'),
    summary: 'List contacts',
    description: [
      'Lists all contacts, or those that a search for `query` finds, newest first. Pages follow each other by cursor and have no total. Every page costs the same.',
      'Send `next` as the `after` of the next request, with the same `query`, until it is `null`. A page may have fewer contacts than `limit`, even none, before the end. No contact is listed twice, and every contact that exists during the whole iteration is listed.',
      '`email`, instead of `query`, finds the contact with exactly that email. An unknown parameter gets 400.',
      'A cursor contains no secrets and does not expire. A cursor of another bot or another `query` gets 400.',
    ].join('\n\n'),
    query: contactListSchema,
    queryExample: { query: 'ada' },
    success: {
      status: 200,
      description: 'A page of the contacts.',
      ...content(contactListPageSchema, { data: [contact], next: null }),
    },
  },
  retrieveContact: {
    ...organization('GET', '/contacts/{contactId}'),
    summary: 'Retrieve a contact',
    description: 'All eight fields are always present. An unset field is `""`.',
    success: { status: 200, description: 'The contact.', ...data(contactSchema, contact) },
  },
  updateContact: {
    ...organization('PATCH', '/contacts/{contactId}'),
    idempotent: true,
    summary: 'Update a contact',
    description:
      'Absent fields keep their values. `""` clears phone, mid and wid; name and email can’t be empty. If no field has another value, nothing changes, not even `updatedAt`.',
    body: jsonOrForm(contactUpdateSchema, { changes: { name: 'Ada King', phone: '' } }),
    success: { status: 200, description: 'Done. The body is empty.' },
    errors: ['email_taken'],
  },
  deleteContact: {
    ...organization('DELETE', '/contacts/{contactId}'),
    idempotent: true,
    summary: 'Delete a contact',
    description:
      'Also revokes all tokens of the contact, which signs its widgets out at once, and deletes its conversation. A second request gets 404.',
    success: { status: 204, description: 'The contact is gone.' },
  },
  retrieveContactAttributes: {
    ...organization('GET', '/contacts/{contactId}/attributes'),
    summary: "Retrieve a contact's attributes",
    description: 'The attributes that your server has set for the contact, in addition to its eight fields.',
    success: {
      status: 200,
      description: 'The attributes.',
      ...data(contactAttributesSchema, { attributes: { plan: 'pro', vip: true } }),
    },
  },
  setContactAttributes: {
    ...organization('PUT', '/contacts/{contactId}/attributes'),
    idempotent: true,
    summary: "Set a contact's attributes",
    description:
      'Replaces all attributes; `{}` removes them. They are stored with each later message of the contact as `context.verified`, which only the organization sees. The contact’s `updatedAt` does not change.',
    body: json(attributesUpdateSchema, { attributes: { attributes: { plan: 'pro', vip: true } } }),
    success: { status: 204, description: 'The attributes were replaced.' },
  },
} satisfies Record<string, Endpoint>
