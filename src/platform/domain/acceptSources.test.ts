import { describe, expect, it } from 'vitest'
import { acceptSources } from './acceptSources.ts'

const source = (title: string) => ({ title, url: 'https://shop.example/secret-address' })

describe('acceptSources', () => {
  it('keeps the valid sources, and says why it drops the others, without quoting them', () => {
    const given = [source('Returns'), { title: 'x', url: 'http://secret' }, 'secret', source(' '), source('Delivery')]
    const { sources, dropped } = acceptSources(given)
    expect(sources).toEqual([source('Returns'), source('Delivery')])
    expect(dropped.map(each => each.split(' ')[0])).toEqual(['/sources/1/url', '/sources/2', '/sources/3/title'])
    expect(dropped.join()).not.toContain('secret')
  })

  it('keeps the first eight, and does not fill the log with the others', () => {
    const { sources, dropped } = acceptSources(Array.from({ length: 1000 }, (_, index) => source(`${index}`)))
    expect(sources.map(({ title }) => title).join()).toBe('0,1,2,3,4,5,6,7')
    expect(dropped).toHaveLength(3)
  })

  it('drops what is no list', () => {
    expect(acceptSources({ title: 'x' })).toEqual({ sources: [], dropped: ['/sources Must be an array.'] })
  })
})
