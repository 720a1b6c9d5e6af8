import * as expect from './expect.ts'
import { dataOf } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const create = (target: TestTarget, fields: Record<string, unknown>) =>
  target.request('PUT', '/contacts', { json: { name: 'Conformance', email: target.freshEmail(), ...fields } })

/** The field accepts the good values unchanged, and refuses the bad ones with an error that points to it. */
const accepts = (field: string, title: string, good: unknown[], bad: unknown[]): Rule =>
  ours('contacts', title, async target => {
    for (const value of good) {
      const reply = await create(target, { [field]: value })
      expect.status(reply, 201)
      expect.equal(field, dataOf(reply)[field], value)
    }
    for (const value of bad) expect.invalid(await create(target, { [field]: value }), `/${field}`)
  })

/** Which values the fields of a contact accept. */
export const fieldRules: Rule[] = [
  accepts(
    'name',
    'a name has 1 to 255 characters, none of them a control or bidi-override',
    ['x', 'Åse Ødegård', '李小龍', '😀'.repeat(255), 'O\'Brien "%_\\', '<b>'],
    ['', ' ', 'x'.repeat(256), '😀'.repeat(256), 'a\u0000b', 'a\u0007b', 'a\nb', 'a\u202eb', 'a\u2066b'],
  ),
  ours('contacts', 'a name is trimmed and normalized (NFC)', async target => {
    const reply = await create(target, { name: '  A\u030ase ' })
    expect.status(reply, 201)
    expect.equal('the name', dataOf(reply)['name'], '\u00c5se')
  }),
  ours('contacts', 'an email is trimmed and stored as sent', async target => {
    const email = target.freshEmail().replace('example', 'Example')
    const reply = await create(target, { email: ` ${email} ` })
    expect.status(reply, 201)
    expect.equal('the email', dataOf(reply)['email'], email)
  }),
  ours('contacts', 'an email has one @, an ASCII local part and a dotted domain, up to 254 long', async target => {
    const [local = ''] = target.freshEmail().split('@')
    const bad = ['', 'ada', '@example.com', `${local}@`, `${local}@example`, `${local}@example.123`, `${local}@-a.com`]
    const worse = [`${local}@a..com`, `${local} x@example.com`, `${local}@@example.com`, `å${local}@example.com`]
    const long = [`${'a'.repeat(65)}@example.com`, `${local}@${'b.'.repeat(110)}com`, `${local}@example.com\u0000`]
    for (const email of [...bad, ...worse, ...long]) expect.invalid(await create(target, { email }), '/email')
    expect.status(await create(target, { email: `${local}+tag.o'x@sub.example.com` }), 201)
  }),
  ours('contacts', 'emails are compared without ASCII case, and in any spelling of their domain', async target => {
    const email = target.freshEmail()
    await target.newContact({ email })
    expect.problem(await create(target, { email: email.toUpperCase() }), 400, 'email_taken')
    const international = target.freshEmail().replace('example.com', 'bücher.example')
    await target.newContact({ email: international })
    const ascii = international.replace('bücher', 'xn--bcher-kva')
    expect.problem(await create(target, { email: ascii }), 400, 'email_taken')
  }),
  accepts(
    'phone',
    'a phone number has up to 40 digits, spaces and + ( ) . / x # -, or ext.',
    ['', '+47 (22) 33-44.55/6 x7#', '22 33 ext. 4', '1'.repeat(40)],
    ['1'.repeat(41), '12a', '12\n3'],
  ),
  accepts(
    'wid',
    'a WhatsApp id is E.164 with a leading +',
    ['', '+4712345678', '+12', `+${'1'.repeat(15)}`],
    ['4712345678', '+0123', '+1', `+${'1'.repeat(16)}`, '+47x123'],
  ),
  ours('contacts', 'a phone number and a WhatsApp id may be copied from a list of contacts', async target => {
    const reply = await create(target, {
      phone: '\u202a＋４７\u00a022\u201133\u202c',
      wid: '\u202a+47 22-33.(44)\u202c',
    })
    expect.status(reply, 201)
    expect.equal('the phone', dataOf(reply)['phone'], '+47 22-33')
    expect.equal('the WhatsApp id', dataOf(reply)['wid'], '+47223344')
  }),
  accepts(
    'mid',
    'a Messenger id has up to 128 visible ASCII characters',
    ['', '!~', 'm'.repeat(128)],
    ['m'.repeat(129), 'a b', 'é', 'a\u007f'],
  ),
  ours('requests', 'fields refuse numbers, booleans, null, arrays and objects', async target => {
    for (const field of ['name', 'email', 'phone', 'mid', 'wid'])
      for (const value of [1, true, null, ['x'], { x: 1 }])
        expect.invalid(await create(target, { [field]: value }), `/${field}`)
  }),
  ours('requests', 'unknown properties are ignored, and the last of several equal JSON keys counts', async target => {
    const body = `{"name":"First","name":"Last","email":"${target.freshEmail()}","favourite":{"colour":"blue"}}`
    const reply = await target.request('PUT', '/contacts', { body, headers: { 'content-type': 'application/json' } })
    expect.status(reply, 201)
    expect.equal('the name', dataOf(reply)['name'], 'Last')
  }),
  ours('requests', 'a plus sign that a form has turned into a space is refused with advice', async target => {
    const body = `name=x&email=${target.freshEmail()}&wid=+4712345678`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const problem = expect.invalid(await target.request('PUT', '/contacts', { body, headers }), '/wid')
    expect.equal('advice to send %2B', JSON.stringify(problem).includes('%2B'), true)
  }),
]
