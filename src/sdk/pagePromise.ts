/**
 * The result of a search or a list. `await` requests one page; `for await` requests all results, page after page. Nothing is
 * requested before.
 */
export class PagePromise<Page, Item> implements Promise<Page>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'PagePromise'
  readonly #readPage: () => Promise<Page>
  readonly #readAll: () => AsyncGenerator<Item, void, undefined>
  #page: Promise<Page> | undefined

  constructor(readPage: () => Promise<Page>, readAll: () => AsyncGenerator<Item, void, undefined>) {
    this.#readPage = readPage
    this.#readAll = readAll
  }

  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return this.#readAll()
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise
  then: Promise<Page>['then'] = (onFulfilled, onRejected) => {
    this.#page ??= this.#readPage()
    return this.#page.then(onFulfilled, onRejected)
  }

  catch: Promise<Page>['catch'] = onRejected => this.then(undefined, onRejected)

  finally: Promise<Page>['finally'] = onFinally => this.then().finally(onFinally)
}
