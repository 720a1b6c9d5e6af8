/**
 * One page if it is awaited, and all results, page after page, if it is iterated over with `for await`. Nothing is
 * requested before that.
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
