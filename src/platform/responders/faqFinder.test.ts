import { describe, expect, it } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { report } from '../../testScale.ts'
import { type ContentSet, contentSets } from '../testing/contentQuestions.ts'
import { createFaqFinder } from './faqFinder.ts'
import { createSectionSearch } from './sectionSearch.ts'

const long = 'rindfleischetikettierungs'.repeat(4)
const sections = [
  { topic: 'Returns', heading: 'Refunds', text: 'In a week.' },
  { topic: 'Law', heading: long, text: 'It was repealed.' },
]
const find = createFaqFinder({ sections })

describe('a long word', () => {
  it.each<[string, (length: number) => string]>([
    ['letters', length => 'a'.repeat(length / 10)],
    // Each becomes six letters.
    ['letters of a script without spaces', length => 'か返'.repeat(length / 20)],
    ['signs that stand for a word', length => '\u3316'.repeat(length / 60)],
  ])('takes no more than fifteen times as long with ten times the %s', (_, text) => {
    expect(growth(find, text)).toBeLessThanOrEqual(linearGrowth)
  })

  it('is found as it is, and by its beginning', () => {
    for (const asked of [long, long.slice(0, 80)]) expect(find(asked)).toEqual({ kind: 'answer', section: sections[1] })
  })
})

it('a word is found with typing mistakes', () => {
  expect(find('When is my refumd due?')).toEqual({ kind: 'answer', section: sections[0] })
})

it.each(['Where are you?', 'Who are you?', 'How are you?', 'Hello!'])(
  'a question that is the heading %s finds it',
  heading => {
    const section = { topic: '', heading, text: 'By the river.' }
    const find = createFaqFinder({ sections: [...sections, section, { ...section, text: 'Later.' }] })
    for (const asked of [heading, ` ${heading.toUpperCase()}!`, heading.replace(/\W+$/, '')])
      expect(find(asked), asked).toEqual({ kind: 'answer', section })
  },
)

it('a heading without words is not found by a message without words', () => {
  expect(createFaqFinder({ sections: [{ topic: '', heading: '???', text: 'Why?' }] })('👋')).toEqual({
    kind: 'greeting',
  })
})

it.each([
  ...['How are you?', 'Hi there, what can you do?', '👋', '???', 'Bonjour !', '¡Hola!', 'Olá', 'Здравствуйте'],
  ...['السلام عليكم', 'नमस्ते', 'こんにちは。', '안녕하세요', '你好'],
])('%s is small talk, and no question without an answer', asked => {
  expect(find(asked)).toEqual({ kind: 'greeting' })
})

it.each(['Merci beaucoup', 'Gracias', 'Děkuji!', 'شكرًا', 'धन्यवाद', 'ありがとうございます', '谢谢'])(
  '%s is thanks',
  asked => expect(find(asked)).toEqual({ kind: 'thanks' }),
)

it('thanks before a question that nothing answers are not all that is heard', () => {
  expect(find('Thanks a lot for your help!')).toEqual({ kind: 'thanks' })
  expect(find('Thanks, one more thing: where is my invoice?')).toMatchObject({ kind: 'none' })
})

describe('a question in a language without spaces', () => {
  const find = createFaqFinder({
    sections: [
      { topic: '', heading: '返品について', text: '商品を返品したい場合は、30日以内にご連絡ください。' },
      { topic: '', heading: '送料', text: '送料は全国一律500円です。' },
      { topic: '', heading: '退货政策', text: '您可以在30天内退货。' },
      { topic: '', heading: '营业时间', text: '我们每天九点开门。' },
      { topic: '', heading: 'การคืนสินค้า', text: 'คืนสินค้าได้ภายใน 30 วัน' },
    ],
  })
  const answer = (asked: string) => {
    const match = find(asked)
    return match.kind === 'answer' ? match.section.heading : match.kind
  }

  it.each([
    ['返品できますか？', '返品について'],
    ['商品の返品をしたいのですが', '返品について'],
    ['送料はいくらですか', '送料'],
    ['怎么退货？', '退货政策'],
    ['请问你们的营业时间是什么？', '营业时间'],
    ['ขอคืนสินค้าได้ไหม', 'การคืนสินค้า'],
    ['駐車場はありますか？', 'none'],
    ['你们的老板是谁？', 'none'],
  ])('%s finds %s', (asked, heading) => {
    expect(answer(asked)).toBe(heading)
  })
})

const headingsOf = ({ sections }: Pick<ContentSet, 'sections'>, synonyms = '') => {
  const find = createFaqFinder({ sections, synonyms })
  return (asked: string): string => {
    const match = find(asked)
    return match.kind === 'answer' ? match.section.heading : match.kind
  }
}

describe('questions as people ask them', () => {
  it.each([
    // Without stems, synonyms and a measure of how well a section fits, 26, 17 and 20 were right.
    ['shop', 33, 11],
    ['commander', 21, 7],
    ['cafe', 22, 9],
  ] as const)('about %s find the right section, and what nothing answers finds none', (name, right, none) => {
    const { questions, unanswered }: ContentSet = contentSets[name]
    const find = headingsOf(contentSets[name])
    const missed = questions.filter(({ asked, heading }) => find(asked) !== heading)
    const wrong = unanswered.filter(asked => !['none', 'greeting'].includes(find(asked)))
    report(`${name}: ${questions.length - missed.length} of ${questions.length}, ${wrong.length} wrong answers`)
    expect(questions.length - missed.length, JSON.stringify(missed)).toBeGreaterThanOrEqual(right)
    expect(unanswered.length - wrong.length, wrong.join()).toBeGreaterThanOrEqual(none)
  })

  it.each([
    ['Where is my order?', 'none'],
    ['Where are my cakes?', 'none'],
    ['opening hours', 'When are you open?'],
    ['I would like to order a cake', 'How do I order a cake?'],
    ['How much is a bicycle?', 'none'],
  ])('%s finds %s, even if only few sections have its words', (asked, heading) => {
    const sections = [
      { topic: '', heading: 'How do I order a cake?', text: 'At the counter, three days before.' },
      { topic: '', heading: 'When are you open?', text: 'From Monday to Friday.' },
      { topic: '', heading: 'What does parking cost?', text: 'Nothing.' },
    ]
    expect(headingsOf({ sections })(asked)).toBe(heading)
  })

  it('find what the synonyms of the folder name', () => {
    const sections = [{ topic: '', heading: 'Do you sell velocipedes?', text: 'Yes.' }]
    expect(headingsOf({ sections })('Is there a two-wheeler in town?')).toBe('none')
    const synonyms = '# Words of our shop\nbicycle, velocipede, two wheeler'
    for (const asked of ['Is there a two-wheeler?', 'bicycles'])
      expect(headingsOf({ sections }, synonyms)(asked), asked).toBe('Do you sell velocipedes?')
  })

  it.each([
    ['! repair, mend', 'Can you repair my bicycle?', 'How do I buy a bicycle?'],
    ['? weight, how heavy', 'How heavy is a bicycle?', 'What is the weight of a parcel?'],
  ])('do not find by the line %s of the folder what is about something else', (synonyms, asked, heading) => {
    const sections = [heading, 'Contact'].map(each => ({ topic: '', heading: each, text: 'Ask us.' }))
    expect(headingsOf({ sections }, synonyms.slice(2))(asked)).toBe(heading)
    expect(headingsOf({ sections }, synonyms)(asked)).toBe('none')
  })
})

it.each([
  ['Wie kann ich bestellen?', 'Rechnungen', 'Rechnung'],
  ['Comment est-ce que je peux payer ?', 'articles', 'article'],
  ['¿Cómo puedo pagar?', 'devoluciones', 'devolución'],
  ['Come posso pagare?', 'prodotti', 'prodotto'],
  ['Como posso pagar?', 'encomendas', 'encomenda'],
  ['Hoe kan ik betalen?', 'rekeningen', 'rekening'],
  ['Hvordan kan jeg betale?', 'varene', 'vare'],
  ['Как я могу вернуть товар?', 'доставку', 'доставка'],
  ['Як я можу повернути товар?', 'доставку', 'доставка'],
  ['Nasıl ve ne ile ödeme?', 'ürünleri', 'ürünler'],
  ['كيف يمكنني أن أدفع؟', 'المنتجات', 'منتج'],
  ['Bagaimana saya bisa membayar?', 'pengembalian', 'mengembalikan'],
])('content such as "%s" is searched with the stems of its language', (heading, form, otherForm) => {
  const search = createSectionSearch({ sections: [{ topic: '', heading, text: '30.' }] })
  const termsOf = (word: string): string[] => search.termsOf([word.toLowerCase()]).flat()
  expect(termsOf(form).filter(term => termsOf(otherForm).includes(term))).not.toEqual([])
})

it.each([
  ['Was kostet der Versand?', 'Kosten für Lieferungen'],
  ['Wann haben Sie geöffnet?', 'offnungszeiten'],
  ['Comment retourner un article ?', 'Je veux renvoyer mes articles'],
  ['¿Cómo hago una devolución?', 'quiero devolver un pedido'],
  ['Hoe kan ik een artikel retourneren?', 'artikelen terugsturen'],
])('"%s" is found by synonyms: %s', (heading, asked) => {
  const sections = [heading, 'Contact'].map(each => ({ topic: '', heading: each, text: '30.' }))
  expect(headingsOf({ sections })(asked)).toBe(heading)
})
