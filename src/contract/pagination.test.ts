import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { scale } from '../testScale.ts'
import { contactSearchSchema, messageListSchema, paginate, paginationSchema, toFieldErrors } from './index.ts'

describe('contactSearchSchema', () => {
  it('defaults to all contacts, page 1, ten per page', () => {
    expect(v.parse(contactSearchSchema, {})).toEqual({ query: '', page: 1, limit: 10 })
  })
  it('trims the query and keeps its characters', () => {
    expect(v.parse(contactSearchSchema, { query: ' %_\\" ' }).query).toBe('%_\\"')
  })
  it('accepts a query of at most 256 code points', () => {
    expect(v.safeParse(contactSearchSchema, { query: '😀'.repeat(256) }).success).toBe(true)
    expect(v.safeParse(contactSearchSchema, { query: 'a'.repeat(257) }).success).toBe(false)
  })
  it.each(['1', '9', '10', '99', '100'])('accepts limit=%s', limit => {
    expect(v.parse(contactSearchSchema, { limit }).limit).toBe(Number(limit))
  })
  it.each(['0', '-1', '101', '1000', 'NaN', '', ' 1', '1 ', '01', '1.0', '1e1', '0x1', '١', '+1', '1\n'])(
    'refuses limit=%j',
    limit => {
      const { issues } = v.safeParse(contactSearchSchema, { limit })
      expect(toFieldErrors(issues ?? [])).toMatchObject([{ pointer: '/limit', code: 'out_of_range' }])
    },
  )
  it.each(['1', '999999999999999'])('accepts page=%s', page => {
    expect(v.parse(contactSearchSchema, { page }).page).toBe(Number(page))
  })
  it.each(['0', '-1', '1e15', '1000000000000000', '', '01', '1.5', 'x'])('refuses page=%j', page => {
    const { issues } = v.safeParse(contactSearchSchema, { page })
    expect(toFieldErrors(issues ?? [])).toMatchObject([{ pointer: '/page', code: 'out_of_range' }])
  })
})

describe('contactSearchSchema: parameters that it does not know', () => {
  it('ignores them, as the specification does', () => {
    expect(v.parse(contactSearchSchema, { after: 'x', foo: '1' })).toMatchObject({ page: 1, limit: 10 })
  })
  it.each(['id', 'name', 'phone', 'mid', 'wid'])('refuses %s, which looks like a filter and is none', name => {
    const { issues } = v.safeParse(contactSearchSchema, { [name]: 'ada' })
    expect(toFieldErrors(issues ?? [])).toMatchObject([{ pointer: `/${name}`, code: 'unknown' }])
  })
})

describe('messageListSchema', () => {
  it('defaults to the newest thirty', () => {
    expect(v.parse(messageListSchema, {})).toEqual({ limit: 30 })
  })
  it.each(['0', '-1', 'x', ''])('refuses before=%j', before => {
    expect(v.safeParse(messageListSchema, { before }).success).toBe(false)
  })
})

describe('paginate', () => {
  it('has fixed numbers for an empty result', () => {
    expect(paginate(7, 10, 0)).toEqual({
      total: 0,
      page: 7,
      limit: 10,
      totalPages: 0,
      startPage: 1,
      endPage: 0,
      startIndex: 0,
      endIndex: -1,
      pages: [],
    })
  })

  it.each([
    { page: 1, pages: [1, 10] },
    { page: 6, pages: [1, 10] },
    { page: 7, pages: [2, 11] },
    { page: 50, pages: [45, 54] },
    { page: 96, pages: [91, 100] },
    { page: 97, pages: [91, 100] },
    { page: 100, pages: [91, 100] },
    { page: 999, pages: [91, 100] },
  ])('shows pages $pages around page $page of a hundred', ({ page, pages: [start, end] }) => {
    expect(paginate(page, 10, 1000)).toMatchObject({ page, startPage: start, endPage: end })
  })

  it('is consistent for every page, limit and total', () => {
    const pageNumber = fc.integer({ min: 1, max: 999_999_999_999_999 })
    const limits = fc.integer({ min: 1, max: 100 })
    const totals = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 10_000_000 }))
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 1, max: 300 }), pageNumber), limits, totals, (requested, limit, total) => {
        const result = paginate(requested, limit, total)
        expect(v.is(paginationSchema, result)).toBe(true)
        const { page, totalPages, startPage, endPage, startIndex, endIndex, pages } = result
        expect(totalPages).toBe(Math.ceil(total / limit))
        expect(page).toBe(requested)
        expect(startIndex).toBe(Math.min((page - 1) * limit, total))
        expect(endIndex - startIndex + 1).toBe(Math.min(limit, total - startIndex))
        expect(pages.length).toBe(Math.min(10, totalPages))
        expect(pages.length).toBe(endPage - startPage + 1)
        if (total === 0) return
        expect(pages[0]).toBe(startPage)
        expect(pages.at(-1)).toBe(endPage)
        expect(pages).toContain(Math.min(page, totalPages))
        expect(startPage).toBeGreaterThanOrEqual(1)
        expect(endPage).toBeLessThanOrEqual(totalPages)
        expect(endIndex).toBeLessThan(total)
        if (page <= totalPages && startPage > 1 && endPage < totalPages)
          expect([page - startPage, endPage - page]).toEqual([5, 4])
      }),
      { seed: scale.seed },
    )
  })
})
