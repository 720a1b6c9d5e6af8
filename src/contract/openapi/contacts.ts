import type { Documented } from './documentation.ts'
import { contact, contactId } from './samples.ts'

const { name, email, phone, wid } = contact

/** The contact endpoints (Spec 4.2). */
export const contactDocumentation: Documented<
  | 'createContact'
  | 'upsertContacts'
  | 'searchContacts'
  | 'listContacts'
  | 'retrieveContact'
  | 'updateContact'
  | 'deleteContact'
  | 'retrieveContactAttributes'
  | 'setContactAttributes'
> = {
  createContact: {
    description: [
      'Emails are unique within an organization, across its bots. Where the email belongs to a contact of the same bot, the error names it in `conflict`.',
      'In a form body send a plus sign as `%2B`.',
    ].join('\n\n'),
    success: 'The contact was created.',
    requests: { contact: { name, email, phone, wid } },
    response: { data: contact },
  },
  upsertContacts: {
    description: [
      'Creates or updates up to 1000 contacts. The email decides: an entry whose email belongs to a contact of this bot updates it, any other creates a contact and needs a name too. A field that is absent stays as it is; `""` clears phone, mid and wid.',
      'All or nothing: where one entry is wrong, nothing is written, and the errors (the first 100) tell the entries by `index` and `pointer`. Entries of the same email are applied in order.',
    ].join('\n\n'),
    success: 'All entries were applied; one result for each, in their order.',
    requests: {
      entries: {
        data: [
          { name, email, phone },
          { name: 'Grace Hopper', email: 'grace@example.com', wid: '+4787654321' },
        ],
      },
    },
    response: {
      data: [
        { index: 0, id: contactId },
        { index: 1, id: '0197a1b5-77aa-7b3c-8d4e-5f60718293a4' },
      ],
    },
  },
  searchContacts: {
    description: [
      'Parameters stand in the query string; there is no body. Newest contacts first.',
      'The text is looked for anywhere in id, name, email, phone, mid and wid. Text of phone characters with at least three digits is also compared by its digits alone, so that `22 33` finds `+47 2233…`.',
      '`email` in its place finds the one contact with exactly that email, or none.',
      'The total of all contacts is always exact. That of a text is exact up to 10 000; beyond that, and for very short texts among more than a million contacts, `totalIsExact` is `false`, and a page after the last is 400. The list of contacts goes on to the end.',
    ].join('\n\n'),
    success: 'A page of the contacts found.',
    query: { query: 'ada' },
    response: {
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
    },
  },
  listContacts: {
    description: [
      'All contacts, or those with the text of `query`, as in a search: newest first, but from page to page by cursor, at the same cost however far down, and without a total.',
      'Send `next` as the `after` of the next request, with the same `query`, until it is `null`. A page may hold fewer contacts than `limit`, even none, before the end. Each contact comes at most once, and every one that exists throughout comes.',
      'A cursor holds no secrets and does not expire. One of another bot or another `query` is 400.',
    ].join('\n\n'),
    success: 'A page of the contacts.',
    query: { query: 'ada' },
    response: { data: [contact], next: null },
  },
  retrieveContact: {
    description: 'All eight fields are always there; one that is unset is `""`.',
    success: 'The contact.',
    response: { data: contact },
  },
  updateContact: {
    description:
      'A field that is absent stays as it is; `""` clears phone, mid and wid; name and email can’t be empty. Without any field nothing changes, `updatedAt` included.',
    success: 'Done. The body is empty.',
    requests: { changes: { name: 'Ada King', phone: '' } },
  },
  retrieveContactAttributes: {
    description: 'What your server has set for the contact, beside its eight fields.',
    success: 'The attributes.',
    response: { data: { attributes: { plan: 'pro', vip: true } } },
  },
  setContactAttributes: {
    description:
      'Replaces all attributes; `{}` takes them away. They are kept with each message that the contact sends from then on, as `context.verified`, for the organization alone. The contact’s `updatedAt` stays.',
    success: 'The attributes were replaced.',
    requests: { attributes: { attributes: { plan: 'pro', vip: true } } },
  },
  deleteContact: {
    description:
      'Also revokes every token of the contact at once, so that its widgets are signed out, and erases its conversation. A second time: 404.',
    success: 'The contact is gone.',
  },
}
