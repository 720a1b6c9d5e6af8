import type { JSX } from 'preact'
import type { Shop } from './shop.ts'

const products = [
  { file: 'jacket', name: 'Waxed jacket', colour: 'Moss', price: 240 },
  { file: 'sweater', name: 'Merino sweater', colour: 'Rust', price: 120 },
  { file: 'shirt', name: 'Linen shirt', colour: 'Chalk', price: 85 },
  { file: 'boots', name: 'Chelsea boots', colour: 'Walnut', price: 190 },
  { file: 'beanie', name: 'Ribbed beanie', colour: 'Harbour', price: 35 },
  { file: 'backpack', name: 'Canvas backpack', colour: 'Ochre', price: 140 },
]
const orders = [
  { number: 'A-1042', name: 'Chelsea boots', status: 'Left our house this morning' },
  { number: 'A-0977', name: 'Merino sweater', status: 'Delivered on 3 October' },
]
const questions = ['Where is my order?', 'How do I return something?', 'How do I wash wool?']

export function Products({ limit = products.length }: { limit?: number }): JSX.Element {
  return (
    <ul class="products">
      {products.slice(0, limit).map(({ file, name, colour, price }) => (
        <li key={file}>
          <img src={`/page/art/${file}.svg`} width="400" height="480" alt="" />
          <h2>{name}</h2>
          <p>{colour}</p>
          <p class="price">€{price}</p>
        </li>
      ))}
    </ul>
  )
}

/** For signed-in customers. A question about an order is prefilled in the chat for the customer to finish. */
export function Orders({ natter, customer }: Shop): JSX.Element {
  if (!customer.name()) {
    return (
      <p class="lead">
        <a href="/spa/sign-in">Sign in</a> to see what you have ordered.
      </p>
    )
  }
  return (
    <ul class="orders">
      {orders.map(({ number, name, status }) => (
        <li key={number}>
          <h2>{name}</h2>
          <p>
            {number}. {status}.
          </p>
          <button type="button" class="quiet" onClick={() => natter.message({ prefill: `About order ${number}: ` })}>
            Ask about {number}
          </button>
        </li>
      ))}
    </ul>
  )
}

export function Help({ natter }: Shop): JSX.Element {
  return (
    <>
      <p class="lead">Ask, and our chat answers at once. Often asked:</p>
      <ul class="questions">
        {questions.map(text => (
          <li key={text}>
            <button type="button" class="quiet" onClick={() => natter.message({ text })}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

export function SignIn({ customer, router }: Shop): JSX.Element {
  const signIn = (who: string) => {
    customer.signIn(who).catch(console.error)
    router.go('/orders')
  }
  return (
    <>
      <p class="lead">Two customers have an account here.</p>
      <p class="choose">
        <button type="button" class="solid" onClick={() => signIn('ada')}>
          Sign in as Ada
        </button>
        <button type="button" class="solid" onClick={() => signIn('grace')}>
          Sign in as Grace
        </button>
      </p>
    </>
  )
}

export function NotFound(): JSX.Element {
  return (
    <p class="lead">
      There is no such page. <a href="/spa/">The collection</a>
    </p>
  )
}
